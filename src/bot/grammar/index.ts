export { botCommands, type Grammar, grammar, helpLines, parse, understand } from './grammar.js';
export { type Instruction, MAX_INSTRUCTION_LENGTH, readInstruction } from './instruction.js';
export { MAX_TEXT_LENGTH } from './parse.js';
export { type Candidate, type Parsed, type ProjectName, REPLY_KINDS, type ReplyKind } from './parsed.js';
export { type ParsedJson, parsedJson } from './parsed-json.js';
export type { StepName } from './step-words.js';
export { isVerdict, VERBS, type Verb, type VerbRow } from './verbs.js';
