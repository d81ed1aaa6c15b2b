// The reason for empty charts of cost, and the setting that fills them.

/** Some agents report tokens alone; commands report neither. */
export function WhyNoCosts({ isUnpriced }: { readonly isUnpriced: boolean }) {
  return (
    <div class="soft">
      <p>
        {isUnpriced ? 'Agents ran, and none reported what it cost.' : 'No agent has run that reports what it costs.'}
      </p>
      <p>
        Claude Code reports its cost. Codex, OpenCode and ACP agents need <code>prices</code> of their executor in{' '}
        <code>config.yaml</code>, in dollars per million tokens:{' '}
        <code>{'prices: { input: 1.25, cached: 0.125, output: 10 }'}</code>. An executor of kind <code>command</code>{' '}
        reports no cost.
      </p>
    </div>
  );
}
