import { expect, it } from 'vitest';
import { bar } from '../../../src/bot/views/view.js';
import { def, Player, workflow } from '../../engine/builders.js';

const [node] = Player.start(workflow([def('a')])).nodes();
if (!node) throw new Error('no node');
const named = (template: string, state: (typeof node)['state'] = 'waiting') => ({ ...node, template, state });
const none = () => [];

it('shows each step of a short chain with its state', () => {
  expect(bar([named('bdd', 'passed'), named('impl', 'running'), named('verify')], none)).toBe(
    '✓ bdd  ▶ impl  · verify',
  );
});

it('counts the finished items of a loop', () => {
  const loop = { ...named('stories', 'running'), kind: 'loop' as const };
  const items = [{ status: 'done' as const }, { status: 'running' as const }];
  expect(bar([named('plan', 'passed'), loop], () => items)).toBe('✓ plan  ▶ stories 1/2');
});

it('shortens a long chain around the current step', () => {
  const steps = (past: number) =>
    Array.from({ length: 10 }, (_, at) => named(`s${at}`, at < past ? 'passed' : 'waiting'));
  expect(bar(steps(0), none)).toBe('· s0  · s1  · s2  · s3  · 6 more');
  expect(bar(steps(5), none)).toBe('✓ 3 steps  ✓ s3  ✓ s4  · s5  · s6  · s7  · s8  · s9');
  expect(bar(steps(10), none)).toBe('✓ 8 steps  ✓ s8  ✓ s9');
});
