// Files in the checkout that count only as an owner accepted them.
export { type AcceptedRules, acceptedRules, acceptRules, noRules } from './accepted.js';
export { changedNames, type ProjectRules, projectRules, type RuleChange } from './pending.js';
export { maxRuleFileBytes, type RuleFiles, stepRulesPath, workflowInRoot, workflowsFolder } from './rule-files.js';
export type { RuleMarks } from './touched.js';
