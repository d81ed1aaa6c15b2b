// Checks keys against each other and the node's position.

import type { GateDef, JobDef, LoopDef, NodeDef, Workflow } from '../definition.js';
import { definitions } from '../definitions.js';
import { holds } from '../expressions/expression.js';
import { nodesOfItems } from '../fragment-homes.js';
import { bodyOf, hasBody, isDecided, judgesFiles, runsJob } from '../node-kinds.js';
import { surveyWord } from '../read/read-gate.js';
import { complain, type ReadState, warn } from '../read/value-readers.js';
import { insertsOf } from '../routes.js';
import { didYouMean } from '../vocabulary/nearest.js';
import { whyInvalidCall } from '../vocabulary/skill-call.js';

export function lintNodes(workflow: Workflow, reading: ReadState): void {
  const ofItems = nodesOfItems(workflow).nodes;
  for (const node of definitions(workflow)) {
    if (judgesFiles(node) && node.gate.onFail.fragment !== '') lintGate(node, workflow, reading);
    lintApprovals(node, reading);
    if (runsJob(node)) lintCall(node, reading);
    if (hasBody(node)) lintLoop(node, workflow, reading);
    const cancels = runsJob(node) && node.onTimeout === 'cancel_item';
    if (cancels && reading.places.has([node.id, 'on_timeout']) && !ofItems.has(node.id)) {
      const at = reading.places.at([node.id, 'on_timeout']);
      complain(reading, at, `"${node.id}" is not in a loop, so there is no item to cancel`);
    }
  }
  for (const chain of [workflow.chain, ...workflow.chain.map(bodyOf)]) lintOrder(chain, reading);
}

function lintGate({ id, gate }: GateDef, workflow: Workflow, reading: ReadState): void {
  if (workflow.survey === null && gate.evidence.some((one) => one.file === surveyWord)) {
    const message = `"${id}" judges the survey, so the workflow must name its folder: "survey: .workflow"`;
    complain(reading, reading.places.at([id, 'evidence']), message);
  }
  // A survey has every field, a file may not.
  const judgesFile = gate.evidence.some((one) => one.file !== surveyWord);
  if (judgesFile && !holds(gate.failWhen, {})) {
    const message = `"${id}" names what fails, so a file without that value would pass: name what passes, as in "passed != true", and a missing value fails`;
    warn(reading, reading.places.at([id, 'fail_when']), message);
  }
  if (gate.maxRetries !== null && gate.onEscalate === null) {
    const message = `"${id}" has max_retries but adds nothing when they are used up: "on: {escalate: …}"`;
    complain(reading, reading.places.at([id, 'max_retries']), message);
  }
  if (gate.maxRetries === null && gate.onEscalate !== null) {
    const message = `"${id}" never escalates, because it has no max_retries`;
    warn(reading, reading.places.at([id, 'on', 'escalate']), message);
  }
}

function lintCall({ id, call, args }: JobDef, reading: ReadState): void {
  const why = call === null ? null : whyInvalidCall(call, args ?? '');
  if (why !== null) complain(reading, reading.places.at([id, 'call']), `"${id}": ${why}`);
}

/** Votes need yes-or-no questions. */
function lintApprovals(node: NodeDef, reading: ReadState): void {
  const { id, approvals } = node;
  if (approvals === undefined) return;
  const at = reading.places.at([id, 'approvals']);
  if (hasBody(node))
    complain(reading, at, `"${id}" is a loop and asks no one: "approvals" belongs to one of its nodes`);
  const isVoted = approvals.quorum > 1 || approvals.notRequester;
  if (isVoted && !isDecided(node) && !hasBody(node)) {
    const message = `"${id}" has no approval: "quorum" and "not_requester" need "kind: human" or "kind: decision"`;
    complain(reading, at, message);
  }
  if (isVoted && isDecided(node) && !node.mandatory) {
    const message = `"${id}" asks for approvals but may be skipped by ${approvals.quorum > 1 ? 'an owner' : 'an operator'}, with a reason: "mandatory: true" closes that`;
    warn(reading, at, message);
  }
}

function lintLoop(loop: LoopDef, workflow: Workflow, reading: ReadState): void {
  const { id } = loop;
  const at = (key: string) => reading.places.at([id, key]);
  if (loop.parallel > 1 && loop.isolate !== 'worktree') {
    complain(
      reading,
      at('parallel'),
      `a checkout can have only one writer: "parallel" of "${id}" needs "isolate: worktree"`,
    );
  }
  if (loop.onItemDone?.conflict && loop.isolate !== 'worktree') {
    const message = `"conflict" of "${id}" needs "isolate: worktree": without it there is no branch to merge`;
    complain(reading, at('on_item_done'), message);
  }
  if (loop.over === 'phases' && workflow.survey === null) {
    const message = `the loop "${id}" goes over phases, so the workflow must name the folder that lists them: "survey: .workflow"`;
    complain(reading, at('over'), message);
  }
  lintConflict(loop, reading);
}

function lintConflict(loop: LoopDef, reading: ReadState): void {
  const conflict = loop.onItemDone?.conflict;
  if (!conflict) return;
  const types = loop.stepTypes.map((node) => node.id);
  const steps = loop.body.map((node) => node.id);
  const path = [loop.id, 'on_item_done', 'conflict'];
  if (!types.includes(conflict.insert)) {
    const message = `"${conflict.insert}" is not a step type of "${loop.id}"${didYouMean(conflict.insert, types)}`;
    complain(reading, reading.places.at([...path, 'insert']), message);
  }
  if (!steps.includes(conflict.before)) {
    const message = `"${conflict.before}" is not a node of "${loop.id}"${didYouMean(conflict.before, steps)}`;
    complain(reading, reading.places.at([...path, 'before']), message);
  }
}

function lintOrder(chain: readonly NodeDef[], reading: ReadState): void {
  const ids = chain.map((node) => node.id);
  for (const node of chain) {
    for (const other of node.afterAny.filter((one) => one === node.id || !ids.includes(one))) {
      const message = `"${node.id}" belongs after "${other}", which is not another node of its chain${didYouMean(other, ids)}`;
      complain(reading, reading.places.at([node.id, 'after_any', other]), message);
    }
    if (node.pinLast && insertsOf(node).length > 0) {
      const message = `"${node.id}" is pinned last, so nothing can be inserted after it`;
      complain(reading, reading.places.at([node.id, 'pin']), message);
    }
    const last = chain.at(-1);
    if (node.pinLast && last && last !== node) {
      complain(
        reading,
        reading.places.at([node.id, 'pin']),
        `"${node.id}" is pinned last, but "${last.id}" comes after it`,
      );
    }
  }
}
