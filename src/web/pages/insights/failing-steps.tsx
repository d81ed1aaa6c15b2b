import { attemptPath, projectPath } from '../shared/paths.js';
import { lineOf, moneyOf } from '../shared/text.js';
import type { FailingStep } from './work-sample.js';

export function FailingSteps({ steps }: { readonly steps: readonly FailingStep[] }) {
  return (
    <section id="failing" aria-labelledby="failing-title">
      <h2 id="failing-title">Steps that fail most</h2>
      {steps.length === 0 ? (
        <p class="panel empty">No try of a step has failed.</p>
      ) : (
        <ul class="panel list">
          {steps.map(({ project, step, failed, tries, because, alike, lostUsd, newest }) => (
            <li class="row">
              <div>
                <a href={attemptPath(newest.run, newest.attempt.id)}>{lineOf(step, 60)}</a>{' '}
                <span class="soft">
                  in <a href={projectPath(project)}>{lineOf(project, 60)}</a>
                </span>
                {because === '' ? null : (
                  <p class="soft" dir="auto">
                    {lineOf(because, 160)}
                    {alike > 1 ? ` (${alike} times)` : ''}
                  </p>
                )}
              </div>
              <span class="num">
                {failed} of {tries} tries failed{lostUsd === 0 ? '' : `, ${moneyOf(lostUsd)} lost`}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
