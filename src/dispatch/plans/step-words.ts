import type { PlanContext } from './plan.js';
import type { StepWords } from './presenter.js';

interface AttemptPlace {
  readonly run: string;
  readonly chain: string;
  readonly attempt: string;
}

export function stepWords(now: Pick<PlanContext, 'spine' | 'chain'>, { run, chain, attempt }: AttemptPlace): StepWords {
  const spine = now.spine(run);
  const item = spine?.items.find(({ key }) => key === chain);
  const isOf = (id: string | undefined) => id === attempt;
  const step = now.chain(run, chain)?.nodes.find(({ live, last }) => isOf(live?.id) || isOf(last?.id));
  return {
    project: spine?.run.project ?? '',
    chain,
    work: item === undefined ? (spine?.run.task ?? '') : item.title || item.key,
    step: step === undefined ? '' : step.title || step.template,
  };
}
