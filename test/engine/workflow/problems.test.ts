import { describe, expect, it } from 'vitest';
import { flow, load, marked, problemsOf, warningsOf } from './support.js';

const work = '{id: work, prompt: do it}';
const loop = (...body: string[]) => `{id: stories, kind: loop, over: items, body: [${body.join(', ')}]}`;

interface Case {
  readonly given: string;
  /** With `^^` where the problem is. */
  readonly text: string;
  readonly says: string;
}

const cases: readonly Case[] = [
  // The text itself.
  { given: 'an empty file', text: '^^', says: 'the file is empty' },
  { given: 'a list', text: '^^- a\n', says: 'the file must be a map of keys, not a list' },
  { given: 'broken YAML', text: 'workflow: "mine\n^^', says: 'missing closing "quote' },
  { given: 'a key twice', text: 'workflow: mine\n^^workflow: other\n', says: 'the key "workflow" is given twice' },
  {
    given: 'a key that is no word',
    text: 'workflow: mine\nchain: ^^{? [a] : b}\n',
    says: 'a key must be a plain word',
  },
  {
    given: 'an alias without an anchor',
    text: flow(work, '{id: b, prompt: ^^*x}'),
    says: 'the alias "*x" has no anchor before it',
  },
  { given: 'a tag', text: 'workflow: ^^!foo mine\n', says: 'invalid YAML: tag resolve failed' },
  {
    given: 'two documents',
    text: 'workflow: mine\n^^---\nworkflow: other\n',
    says: 'source contains multiple documents',
  },
  { given: 'too large a file', text: `^^${'#'.repeat(256 * 1024 + 1)}`, says: 'the file is larger than 256 KB' },
  {
    given: 'block lists nested without end',
    text: `^^a:\n${'- '.repeat(90_000)}x`,
    says: 'nested more than 32 levels deep',
  },
  {
    given: 'flow lists nested without end',
    text: `a: ${'['.repeat(31)}^^${'['.repeat(9)}${']'.repeat(40)}`,
    says: 'nested more than 32 levels deep',
  },
  { given: 'an anchor within itself', text: 'a: &x [^^*x]\n', says: 'nested more than 32 levels deep' },
  {
    given: 'an alias bomb',
    text: `a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [^^*a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b]\nd: [*c, *c, *c, *c]\n`,
    says: 'more than 100 aliases',
  },
  { given: 'more values than anybody writes', text: `a: ^^[${'x,'.repeat(21_000)}]\n`, says: 'more than 20000 values' },
  // The head.
  { given: 'no name', text: `^^chain:\n  - ${work}\n`, says: 'the workflow has no name: "workflow: my-flow"' },
  {
    given: 'an underscore in the name',
    text: `workflow: ^^my_flow\nchain: [${work}]\n`,
    says: 'invalid workflow name',
  },
  { given: 'no nodes', text: '^^workflow: mine\n', says: 'the workflow "mine" has no nodes' },
  { given: 'an empty chain', text: 'workflow: mine\n^^chain: []\n', says: 'the workflow "mine" has no nodes' },
  { given: 'nothing as a chain', text: 'workflow: mine\n^^chain:\n', says: 'the workflow "mine" has no nodes' },
  {
    given: 'a chain that is a map',
    text: 'workflow: mine\nchain: ^^{a: b}\n',
    says: 'a chain must be a list of nodes',
  },
  {
    given: 'an unknown key',
    text: `workflow: mine\n^^polciy: {}\nchain: [${work}]\n`,
    says: 'unknown key "polciy"; did you mean "policy"?',
  },
  {
    given: 'an unknown key far from all',
    text: `workflow: mine\n^^xyzzyplugh: {}\nchain: [${work}]\n`,
    says: 'unknown key "xyzzyplugh"',
  },
  {
    given: 'a key for later',
    text: `workflow: mine\n^^notifications: {}\nchain: [${work}]\n`,
    says: '"notifications" is not supported yet',
  },
  {
    given: 'an unknown level',
    text: `workflow: mine\npolicy: {level: ^^atuo}\nchain: [${work}]\n`,
    says: '"level" of "policy" must be manual, semi, auto, not a text; did you mean "auto"?',
  },
  {
    given: 'a limit of nothing',
    text: `workflow: mine\nlimits: {items: ^^0}\nchain: [${work}]\n`,
    says: '"items" of "limits" must be a whole number from 1 to 1000, not a number',
  },
  {
    given: 'an input that is text',
    text: `workflow: mine\ninputs: {task: ^^yes}\nchain: [${work}]\n`,
    says: '"task" of "inputs" must be a map of keys, not a text',
  },
  {
    given: 'an unknown key of an input',
    text: `workflow: mine\ninputs: {task: {^^requried: true}}\nchain: [${work}]\n`,
    says: 'unknown key "requried" in "task" of "inputs"; did you mean "required"?',
  },
  {
    given: 'inputs as a list',
    text: `workflow: mine\ninputs: ^^[task]\nchain: [${work}]\n`,
    says: '"inputs" must be a map of keys, not a list',
  },
  {
    given: 'a title that is a map',
    text: `workflow: mine\ntitle: ^^{a: b}\nchain: [${work}]\n`,
    says: '"title" must be text, not a map',
  },
  // Nodes.
  { given: 'a node that is a word', text: flow('^^work'), says: 'a node must be a map with an id' },
  { given: 'a node without an id', text: flow('^^{prompt: do it}'), says: 'the node has no id' },
  { given: 'an id that is a list', text: flow('{id: ^^[a], prompt: x}'), says: '"id" must be text, not a list' },
  { given: 'an id with blanks', text: flow('{id: ^^my work, prompt: x}'), says: 'invalid id' },
  { given: 'an id twice', text: flow(work, '{id: ^^work, prompt: x}'), says: 'two nodes have the id "work"' },
  {
    given: 'an id twice, once in a loop',
    text: flow(work, loop('{id: ^^work, prompt: x}')),
    says: 'two nodes have the id "work"',
  },
  {
    given: 'an unknown key',
    text: flow('{id: work, ^^promt: do it, prompt: x}'),
    says: 'unknown key "promt" in "work"; did you mean "prompt"?',
  },
  {
    given: 'a key that is near an old one',
    text: flow('{id: work, prompt: x, ^^post_chek: x}'),
    says: 'unknown key "post_chek" in "work"; did you mean "post_check"?',
  },
  {
    given: 'two spellings of a key',
    text: flow('{id: work, prompt: x, ^^input: y}'),
    says: '"prompt" is given twice: as "prompt" and as "input"',
  },
  {
    given: 'an unknown kind',
    text: flow('{id: work, kind: ^^taks, prompt: x}'),
    says: '"kind" of "work" must be task, check, human, decision, loop, not a text; did you mean "task"?',
  },
  {
    given: 'a kind that is a list',
    text: flow('{id: work, kind: ^^[task], prompt: x}'),
    says: '"kind" of "work" must be task, check, human, decision, loop, not a list',
  },
  {
    given: 'attempts below one',
    text: flow('{id: work, prompt: x, max_attempts: ^^0}'),
    says: '"max_attempts" of "work" must be a whole number from 1 to 100, not a number',
  },
  {
    given: 'attempts as a truth',
    text: flow('{id: work, prompt: x, max_attempts: ^^true}'),
    says: '"max_attempts" of "work" must be a whole number from 1 to 100, not true or false',
  },
  {
    given: 'attempts in words',
    text: flow('{id: work, prompt: x, max_attempts: ^^three}'),
    says: '"max_attempts" of "work" must be a whole number from 1 to 100, not a text',
  },
  {
    given: 'half an attempt',
    text: flow('{id: work, prompt: x, abandons: ^^1.5}'),
    says: '"abandons" of "work" must be a whole number from 0 to 100, not a number',
  },
  {
    given: 'no bound for loops',
    text: flow(work, '{id: b, prompt: x, max_loops: ^^-1, on_fail: {default: {goto: work}}}'),
    says: '"max_loops" of "b" must be a whole number from 0 to 1000, not a number',
  },
  {
    given: 'an odd time',
    text: flow('{id: work, prompt: x, timeout: ^^soon}'),
    says: '"timeout" of "work" must be a time such as 30m, 90s or 1h, not a text',
  },
  {
    given: 'no time at all',
    text: flow('{id: work, prompt: x, timeout: ^^0s}'),
    says: '"timeout" of "work" must be a time such as 30m, 90s or 1h, not a text',
  },
  {
    given: 'a time that is a list',
    text: flow('{id: work, prompt: x, timeout: ^^[1]}'),
    says: '"timeout" of "work" must be a time such as 30m, 90s or 1h, not a list',
  },
  {
    given: 'a flag in words',
    text: flow('{id: work, prompt: x, rollback: ^^maybe}'),
    says: '"rollback" of "work" must be true or false, not a text',
  },
  {
    given: 'a prompt of nothing',
    text: flow('{id: work, prompt: ^^}'),
    says: '"prompt" of "work" must be text, not nothing',
  },
  {
    given: 'no prompt at all',
    text: flow('^^{id: work}'),
    says: '"work" has no prompt: neither a "prompt" nor a "role" that has one, and no file prompts/mine/work.md',
  },
  {
    given: 'a role without a prompt',
    text: flow('^^{id: work, role: dev}'),
    says: 'neither a "prompt" nor a prompt of its role "dev"',
  },
  {
    given: 'an unknown role',
    text: `workflow: mine\nroles: {developer: {}}\nchain:\n  - {id: a, prompt: x, role: developer}\n  - {id: b, prompt: x, role: ^^develoepr}\n`,
    says: 'there is no role "develoepr"; did you mean "developer"?',
  },
  {
    given: 'a missing prompt file',
    text: `workflow: mine\nroles: {dev: {prompt: ^^roles/dev.md}}\nchain: [${work}]\n`,
    says: 'the prompt file "roles/dev.md" of the role "dev" does not exist',
  },
  {
    given: 'more side by side',
    text: flow(loop(work).replace('over', 'parallel: ^^3, over')),
    says: 'a checkout can have only one writer: "parallel" of "stories" needs "isolate: worktree"',
  },
  {
    given: 'needs of a later node',
    text: flow('{id: a, prompt: x, needs: [^^work]}', work),
    says: '"a" needs "work", which is not an earlier node of its chain',
  },
  {
    given: 'needs of a misspelt node',
    text: flow(work, '{id: a, prompt: x, needs: [work, ^^wrok]}'),
    says: '"a" needs "wrok", which is not an earlier node of its chain; did you mean "work"?',
  },
  {
    given: 'expectations as a word',
    text: flow('{id: work, prompt: x, expects: ^^success}'),
    says: '"expects" of "work" must be a map of keys, not a text',
  },
  {
    given: 'an unknown key of expects',
    text: flow('{id: work, prompt: x, expects: {^^sttaus: done}}'),
    says: 'unknown key "sttaus" in "expects" of "work"; did you mean "status"?',
  },
  {
    given: 'needs of a node that is named with a whole text',
    text: flow(work, `{id: a, prompt: x, needs: [work, ^^${'x'.repeat(80)}]}`),
    says: '"a" needs a text, which is not an earlier node of its chain',
  },
  {
    given: 'tests without a command',
    text: flow('{id: work, prompt: x, tests: ^^{format: tap}}'),
    says: '"tests" of "work" has no "run"',
  },
  {
    given: 'an unknown test format',
    text: flow('{id: work, prompt: x, tests: {run: t, format: ^^jset}}'),
    says: 'not a text; did you mean "jest"?',
  },
  {
    given: 'a test command of nothing',
    text: flow('{id: work, prompt: x, tests: {run: ^^[], format: tap}}'),
    says: '"tests" of "work" must be text, not a list',
  },
  {
    given: 'a check that is a map',
    text: flow('{id: work, prompt: x, check: ^^{a: b}}'),
    says: '"check" of "work" must be text, not a map',
  },
  {
    given: 'an output with a blank',
    text: flow('{id: work, prompt: x, outputs: [^^MY PLAN]}'),
    says: '"outputs" of "work" must be a list of keys such as PLAN_FILE',
  },
  {
    given: 'an output that is a map',
    text: flow('{id: work, prompt: x, outputs: [^^{a: b}]}'),
    says: '"outputs" of "work" must be text, not a map',
  },
  {
    given: 'a path that is a map',
    text: flow('{id: work, prompt: x, reads: [^^{a: b}]}'),
    says: '"reads" of "work" must be text, not a map',
  },
  // Loops.
  {
    given: 'a loop over nothing',
    text: flow(`^^{id: l, kind: loop, body: [${work}]}`),
    says: 'the loop "l" lacks "over", such as "over: items"',
  },
  {
    given: 'a loop over milestones',
    text: flow(`{id: l, over: ^^milestones, body: [${work}]}`),
    says: 'over: milestones is not supported yet',
  },
  {
    given: 'a loop over a misspelt word',
    text: flow(`{id: l, over: ^^itmes, body: [${work}]}`),
    says: '"over" of "l" must be items, stories, phases, not a text; did you mean "items"?',
  },
  {
    given: 'a loop without a body',
    text: flow('^^{id: l, kind: loop, over: items}'),
    says: 'the loop "l" has no body',
  },
  {
    given: 'an empty body',
    text: flow('{id: l, kind: loop, over: items, ^^body: []}'),
    says: 'the loop "l" has no body',
  },
  { given: 'a body of nothing', text: flow('{id: l, over: items, ^^body: }'), says: 'the loop "l" has no body' },
  {
    given: 'a loop in a loop',
    text: flow(`{id: l, over: items, body: [^^{id: m, over: items, body: [${work}]}]}`),
    says: 'a loop within a loop ("m" in "l") is not supported yet',
  },
  // Routes.
  {
    given: 'an unknown target',
    text: flow('{id: review, prompt: x}', '{id: a, prompt: x, on_fail: {default: {goto: ^^reveiw}}}'),
    says: '"a" goes to "reveiw", and there is no such node; did you mean "review"?',
  },
  {
    given: 'an unknown target of a pass',
    text: flow('{id: a, prompt: x, on_pass: {goto: ^^b1}}', '{id: zzzz, prompt: x}'),
    says: '"a" goes to "b1", and there is no such node',
  },
  {
    given: 'a misspelt word',
    text: flow('{id: a, prompt: x, on_fail: {default: ^^rety}}'),
    says: '"a" goes to "rety", and there is no such node; did you mean "retry"?',
  },
  {
    given: 'an unknown target by status',
    text: flow(work, '{id: a, prompt: x, on_status: {retry: {goto: ^^wrok}}}'),
    says: '"a" goes to "wrok", and there is no such node; did you mean "work"?',
  },
  {
    given: 'an unknown target by decision',
    text: flow(work, '{id: a, prompt: x, decision_key: DECISION, on_decision: {no: {goto: ^^wrok}}}'),
    says: '"a" goes to "wrok", and there is no such node; did you mean "work"?',
  },
  {
    given: 'a way out of a loop',
    text: flow('{id: a, prompt: x}', loop('{id: b, prompt: x, on_fail: {default: {goto: ^^a}}}')),
    says: '"b" cannot go to "a", which is outside the loop',
  },
  {
    given: 'a way into a loop',
    text: flow(loop('{id: b, prompt: x}'), '{id: a, prompt: x, on_fail: {default: {goto: ^^b}}}'),
    says: '"a" cannot go to "b", which is inside the loop',
  },
  {
    given: 'a way to itself',
    text: flow('{id: a, prompt: x, on_fail: {default: {goto: ^^a}}}'),
    says: '"a" goes to itself; to repeat a node, use "retry"',
  },
  {
    given: 'a retry of a later step',
    text: flow('{id: a, prompt: x, on_fail: {retry_step: ^^b}}', '{id: b, prompt: x}'),
    says: '"a" retries "b", which comes later',
  },
  {
    given: 'rejections without an item',
    text: flow(work, '{id: a, prompt: x, on_fail: {default: {goto: work, budget: ^^rejections}}}'),
    says: '"a" is not in a loop, so there is no item whose rejections it could count',
  },
  {
    given: 'an unknown budget',
    text: flow(work, '{id: a, prompt: x, on_fail: {default: {goto: work, budget: ^^loop}}}'),
    says: 'must be loops, rejections, not a text; did you mean "loops"?',
  },
  {
    given: 'two ways at once',
    text: flow(work, '{id: a, prompt: x, on_fail: {default: ^^{goto: work, retry: true}}}'),
    says: '"default" of "a" must lead to one of: goto, insert, next, retry, ask, fail, finish',
  },
  {
    given: 'a word beside what it cannot have',
    text: flow(work, '{id: a, prompt: x, on_fail: {default: {retry: true, ^^clear: [task]}}}'),
    says: '"clear" of "default" of "a" has no meaning together with "retry"',
  },
  {
    given: 'no way',
    text: flow('{id: a, prompt: x, on_fail: {default: ^^{}}}'),
    says: '"default" of "a" must lead to one of: goto, insert, next, retry, ask, fail, finish',
  },
  {
    given: 'an empty route',
    text: flow('{id: a, prompt: x, on_fail: {default: ^^""}}'),
    says: '"default" of "a" must lead to one of: goto, insert, next, retry, ask, fail, finish',
  },
  {
    given: 'half a word',
    text: flow('{id: a, prompt: x, on_fail: {default: {retry: ^^false}}}'),
    says: '"retry" of "default" of "a" can only be true',
  },
  {
    given: 'a target that is a list',
    text: flow('{id: a, prompt: x, on_fail: {default: {goto: ^^[b]}}}'),
    says: '"goto" of "a" must be text, not a list',
  },
  {
    given: 'a route that is a list',
    text: flow('{id: a, prompt: x, on_pass: ^^[b]}'),
    says: '"on_pass" of "a" must be a map of keys, not a list',
  },
  {
    given: 'an insertion when exhausted',
    text: flow('{id: a, prompt: x, on_exhausted: {insert: ^^fix}}'),
    says: 'there is no fragment "fix" to insert',
  },
  {
    given: 'an odd word when exhausted',
    text: flow('{id: a, prompt: x, on_exhausted: ^^{a: b}}'),
    says: '"on_exhausted" of "a" must be ask, fail, pause, not a map',
  },
  {
    given: 'two words when exhausted',
    text: flow('{id: a, prompt: x, on_exhausted: ^^{a: b, c: d}}'),
    says: '"on_exhausted" of "a" must be ask, fail, pause, not a map',
  },
  {
    given: 'an escalation to nobody',
    text: flow('{id: a, prompt: x, on_exhausted: ^^{escalate_to: manager}}'),
    says: '"on_exhausted" of "a" must be ask, fail, pause, not a map',
  },
  {
    given: 'routes as a list',
    text: flow('{id: a, prompt: x, on_status: ^^[b]}'),
    says: '"on_status" of "a" must be a map of keys, not a list',
  },
  {
    given: 'a node behind the end',
    text: flow('{id: a, prompt: x, on_pass: finish}', '^^{id: b, prompt: x}'),
    says: '"b" is never reached: every route before it ends or skips it',
  },
  {
    given: 'a node that everybody passes by',
    text: flow('{id: a, prompt: x, on_pass: {goto: c}}', '^^{id: b, prompt: x}', '{id: c, prompt: x}'),
    says: '"b" is never reached',
  },
  {
    given: 'a node that no decision leads to',
    text: flow(
      '{id: a, prompt: x, decision_key: DECISION, on_decision: {yes: {finish: true}}}',
      '^^{id: b, prompt: x}',
    ),
    says: '"b" is never reached',
  },
  {
    given: 'a route of a loop',
    text: flow(loop(work).replace('over', 'on_fail: ^^{default: {goto: a}}, over'), '{id: a, prompt: x}'),
    says: '"on_fail" of the loop "stories" is never taken; write it on the node after the loop',
  },
  {
    given: 'a route of a loop that passes',
    text: flow(loop(work).replace('over', 'on_pass: ^^finish, over')),
    says: '"on_pass" of the loop "stories" is never taken',
  },
  {
    given: 'a rejection that cannot fail anything',
    text: flow(work, '{id: r, kind: human, on_fail: {^^scope_warning: fail, default: {goto: work}}}'),
    says: 'a rejection of "r" cannot "fail": it goes back, inserts or finishes',
  },
  {
    given: 'a decision without routes',
    text: flow('{id: a, prompt: x, decision_key: ^^DECISION}'),
    says: '"a" has a decision_key but no on_decision',
  },
  {
    given: 'routes without a decision',
    text: flow('{id: a, prompt: x, on_decision: ^^{yes: next}}'),
    says: '"a" has on_decision but no decision_key',
  },
  {
    given: 'reasons as a list',
    text: flow('{id: a, prompt: x, on_fail: {default: ^^[b]}}'),
    says: '"default" of "a" must be a map of keys, not a list',
  },
  {
    given: 'a time limit of a role that is a word',
    text: `workflow: mine\nroles: {dev: {timeout: ^^soon}}\nchain: [${work}]\n`,
    says: '"timeout" of "dev" must be a time such as 30m, 90s or 1h, not a text',
  },
  {
    given: 'the story outside a loop',
    text: flow('{id: a, prompt: "^^{{current_story}}"}'),
    says: '{{current_story}} in "a" has no item: only nodes of a loop have one',
  },
  {
    given: 'a name in capitals',
    text: flow('{id: a, prompt: "^^{{TASK}}", outputs: []}'),
    says: 'nothing fills {{TASK}} in "a"; did you mean "task"?',
  },
  {
    given: 'a name that is a list',
    text: `workflow: ^^[mine]\nchain: [${work}]\n`,
    says: '"workflow" must be text, not a list',
  },
  // Names.
  {
    given: 'a default that names itself',
    text: `workflow: mine\ncontext: {^^repo: "in {{repo}}"}\nchain: [${work}]\n`,
    says: 'the default of "repo" names itself',
  },
  {
    given: 'an input whose default names itself',
    text: `workflow: mine\ninputs: {^^repo: {default: "{{ repo }}"}}\nchain: [${work}]\n`,
    says: 'the default of "repo" names itself',
  },
  {
    given: 'a reserved name in the context',
    text: `workflow: mine\ncontext: {^^run_id: x}\nchain: [${work}]\n`,
    says: '"run_id" is reserved; context cannot set it',
  },
  {
    given: 'a reserved output',
    text: flow('{id: a, prompt: x, outputs: [STATUS, ^^CURRENT_STORY]}'),
    says: '"CURRENT_STORY" is reserved; the output of "a" cannot set it',
  },
  {
    given: 'an output of two nodes',
    text: flow('{id: a, prompt: "{{plan}}", outputs: [PLAN]}', '{id: b, prompt: x, outputs: [^^PLAN]}'),
    says: '"a" and "b" both declare the output "PLAN"',
  },
  {
    given: 'an output that nobody uses',
    text: flow('{id: a, prompt: x, outputs: [^^SECRET_PLAN]}'),
    says: 'nothing uses the output "SECRET_PLAN" of "a"',
  },
  {
    given: 'a name that nothing fills',
    text: flow('{id: a, prompt: "do {{plan}}\\n^^{{plam}}", outputs: [PLAN]}'),
    says: 'nothing fills {{plam}} in "a"; did you mean "plan"?',
  },
  {
    given: 'a name in a block of text',
    text: 'workflow: mine\nchain:\n  - id: a\n    outputs: []\n    prompt: |\n      one\n        two ^^{{nobody_knows}}\n',
    says: 'nothing fills {{nobody_knows}} in "a"',
  },
  {
    given: 'an unknown name of the project',
    text: flow('{id: a, prompt: x, check: "^^{{project.chek}}"}'),
    says: 'nothing fills {{project.chek}} in "a"; did you mean "project.check"?',
  },
  {
    given: 'an unknown name of the item',
    text: flow(loop('{id: a, prompt: x, reads: ["^^{{item.kee}}"]}')),
    says: 'nothing fills {{item.kee}} in "a"; did you mean "item.key"?',
  },
  {
    given: 'an item outside a loop',
    text: flow('{id: a, prompt: "^^{{item.key}}"}'),
    says: '{{item.key}} in "a" has no item: only nodes of a loop have one',
  },
  {
    given: "a name with a dot that is nobody's",
    text: flow('{id: a, prompt: "^^{{steps.plan}}"}'),
    says: 'nothing fills {{steps.plan}} in "a"',
  },
  {
    given: 'a name in a test command',
    text: flow('{id: a, prompt: x, tests: {run: "t ^^{{nam}}"}, outputs: []}'),
    says: 'nothing fills {{nam}} in "a"',
  },
  {
    given: "a name to forget that is nobody's",
    text: flow(work, '{id: b, prompt: x, outputs: [], on_fail: {default: {goto: work, clear: [^^plan]}}}').replace(
      'prompt: do it',
      'prompt: do it, outputs: []',
    ),
    says: 'nothing fills {{plan}} in "b"',
  },
];

describe('an invalid workflow is refused with the position of the mistake', () => {
  it.each(cases)('$given: $says', ({ text: withMark, says }) => {
    const { text, place } = marked(withMark);
    const found = problemsOf(load(text));
    const places = found.filter((one) => one.includes(says)).map((one) => one.split(':', 3).join(':'));
    expect(places, `reported: ${found.join('; ')}`).toEqual([`flow.yaml:${place}`]);
  });

  it('reports all problems at once, in file order', () => {
    const text = `workflow: mine
context: {task: "a {{task}}"}
chain:
  - {id: a, prompt: x, wibble: 1, on_fail: {default: {goto: a}}}
  - {id: b, prompt: x, on_fail: {retry_step: c}}
  - {id: c, prompt: x}
`;
    expect(problemsOf(load(text))).toEqual([
      'flow.yaml:2:11: the default of "task" names itself',
      'flow.yaml:2:11: "task" is reserved; context cannot set it',
      'flow.yaml:4:24: unknown key "wibble" in "a"',
      'flow.yaml:4:61: "a" goes to itself; to repeat a node, use "retry"',
      'flow.yaml:5:46: "b" retries "c", which comes later; retry_step goes back, next_step goes forward',
    ]);
  });

  it('reports an unknown name in a prompt file with its position there', () => {
    const result = load(flow('{id: a, outputs: []}'), { 'prompts/mine/a.md': 'Do\nthis: {{nobody}}\n' });
    expect(problemsOf(result)).toEqual(['prompts/mine/a.md:2:7: nothing fills {{nobody}} in "a"']);
  });

  it('sorts problems by file', () => {
    const nodes = ['{id: a, outputs: []}', '{id: b, prompt: x, outputs: []}', '{id: c, outputs: []}'];
    const result = load(flow(...nodes, '{id: d, prompt: x, outputs: [], kind: teh}'), {
      'prompts/mine/a.md': '{{x}}',
      'prompts/mine/c.md': '{{y}}',
    });
    expect(problemsOf(result).map((one) => one.split(':').slice(0, 3).join(':'))).toEqual([
      'flow.yaml:6:43',
      'prompts/mine/a.md:1:1',
      'prompts/mine/c.md:1:1',
    ]);
  });

  it('reports at most 100 problems', () => {
    const keys = Array.from({ length: 150 }, (_, index) => `zz${index}: 1\n`).join('');
    expect(problemsOf(load(`workflow: mine\nchain: [${work}]\n${keys}`))).toHaveLength(100);
  });
});

const warnings: readonly Case[] = [
  {
    given: 'a key that does nothing on a person',
    text: flow(work, '{id: r, kind: human, ^^timeout: 1h, on_fail: {default: {goto: work}}}'),
    says: '"timeout" has no effect on "r", which is a human node',
  },
  {
    given: 'a body on a task',
    text: flow('{id: a, kind: task, prompt: x, ^^over: items}'),
    says: '"over" has no effect on "a", which is a task node',
  },
  {
    given: 'a prompt on a check',
    text: flow('{id: a, kind: check, ^^input: x}'),
    says: '"input" has no effect on "a", which is a check node',
  },
  {
    given: 'a check on a loop',
    text: flow(loop(work).replace('over', '^^check: make, over')),
    says: '"check" has no effect on "stories", which is a loop node',
  },
  {
    given: 'a person whose no leads nowhere',
    text: flow(work, '^^{id: r, kind: human}'),
    says: '"r" has no on_fail: after a rejection it asks the same again',
  },
  {
    given: 'a name that only an undeclared output can fill',
    text: flow('{id: a, prompt: x}', '{id: b, prompt: "^^{{plan}}"}'),
    says: 'nothing fills {{plan}} in "b" (a node without declared outputs may still set it)',
  },
  {
    given: 'a default that names something else',
    text: `workflow: mine\ncontext: {^^what: "{{task}}"}\nchain: [${work}]\n`,
    says: 'the default of "what" is used literally: Bosun does not fill {{task}} in it',
  },
  {
    given: 'a step beside others that does not say what it writes',
    text: flow('{id: a, prompt: x, needs: [], writes: [a]}', '{id: b, prompt: x, needs: ^^[]}'),
    says: '"b" may run in parallel with "a" in one checkout, but "b" does not say what it writes: "writes: [docs/**]"',
  },
  {
    given: 'two steps of a story side by side that do not say what they write',
    text: flow(loop('{id: a, prompt: x}', '{id: b, prompt: x, needs: ^^[]}')),
    says: '"b" may run in parallel with "a" in one checkout, but "a" and "b" do not say what they write: "writes: [docs/**]"',
  },
  {
    given: 'a step that may write what another one writes, two steps before it',
    text: flow(
      '{id: a, prompt: x, writes: [docs/**]}',
      '{id: b, prompt: x, needs: [], writes: [src]}',
      '{id: c, prompt: x, needs: ^^[], writes: [docs/index.md]}',
    ),
    says: '"c" may write the same files as "a", so they never run in parallel',
  },
  {
    given: 'a reason that is nearly a known one',
    text: flow(work, '{id: a, prompt: x, on_fail: {^^scope_warnign: {goto: work}}}'),
    says: '"scope_warnign" is not a built-in reason; did you mean "scope_warning"?',
  },
];

describe('steps that never run in parallel', () => {
  it.each([
    ['rest on each other', '{id: a, prompt: x}', '{id: b, prompt: x, needs: [a]}'],
    ['lead elsewhere', '{id: a, prompt: x}', '{id: b, prompt: x, needs: [], on_fail: {default: {goto: a}}}'],
    ['stand behind one that does', '{id: a, prompt: x, barrier: true}', '{id: b, prompt: x, needs: []}'],
    ['write apart', '{id: a, prompt: x, writes: ["{{task}}"]}', '{id: b, prompt: x, needs: [], writes: [b]}'],
    ['check only', '{id: a, kind: check, check: make}', '{id: b, kind: check, check: make, needs: []}'],
  ])('load without a warning when they %s', (_, ...nodes) => {
    expect(warningsOf(load(flow(...nodes)))).toEqual([]);
  });

  it('load without a warning when one of them only reads', () => {
    const roles = 'roles: {reader: {access: read}}\n';
    const text = flow('{id: a, prompt: x, writes: [a]}', '{id: b, prompt: x, role: reader, needs: []}');
    expect(warningsOf(load(`${text}${roles}`))).toEqual([]);
  });
});

describe('a workflow that loads with a warning', () => {
  it.each(warnings)('$given', ({ text: withMark, says }) => {
    const { text, place } = marked(withMark);
    const result = load(text);
    expect(problemsOf(result)).toEqual([]);
    expect(warningsOf(result)).toEqual([`flow.yaml:${place}: ${says}`]);
  });
});
