import { expect, it } from 'vitest';
import { askKept } from '../../../src/bot/channels/setup-desk.js';

function answering(answers: readonly string[]) {
  const asked: { readonly question: string; readonly isHidden: boolean | undefined }[] = [];
  const left = [...answers];
  const ask = async (question: string, isHidden?: boolean) => {
    asked.push({ question, isHidden });
    return left.shift() ?? '';
  };
  return { ask, asked };
}

it.each([
  [[''], 'file'],
  [['f'], 'file'],
  [['Variable'], 'variable'],
  [['xoxb-1-secret', 'variable'], 'variable'],
] as const)('reads %j as %s without echoing what is typed', async (answers, kept) => {
  const { ask, asked } = answering(answers);
  expect(await askKept(ask, 'Store it?')).toBe(kept);
  expect(asked.map(({ isHidden }) => isHidden)).toEqual(answers.map(() => true));
});

it('stores nothing after three answers that are neither, and repeats none of them', async () => {
  const { ask } = answering(['7:AAtoken', '7:AAtoken', '7:AAtoken']);
  await expect(askKept(ask, 'Store it?')).rejects.toThrow(
    /^The answer was neither file nor variable; nothing was changed$/,
  );
});
