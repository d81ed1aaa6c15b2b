// Sentences as people type them on a phone, in five situations, and what each must lead to.

/**
 * `idle`: two projects without a run. `one`: shop waits at a review here. `two`: api waits at one as well. `reply`: the
 * sentence replies to the review of `one`. `asked`: [Request changes] of it was pressed before. `queued`: behind it wait
 * "Add a dark theme" and "task B".
 */
export type Situation = 'idle' | 'one' | 'two' | 'reply' | 'asked' | 'queued';

/** `acts`: something changes. Nothing changes otherwise: `offers` names the first button, the others the words said. */
export type Outcome =
  | { readonly acts: RegExp | true }
  | { readonly reads: RegExp }
  | { readonly offers: string | RegExp }
  | { readonly asks: RegExp };

export interface Sentence {
  readonly in: Situation;
  readonly text: string;
  readonly leads: Outcome;
}

const acts: Outcome = { acts: true };
const reads = (said: RegExp): Outcome => ({ reads: said });
const offers = (first: string | RegExp): Outcome => ({ offers: first });
const asks = (said: RegExp): Outcome => ({ asks: said });

const all = (where: Situation, leads: Outcome, ...texts: readonly string[]): readonly Sentence[] =>
  texts.map((text) => ({ in: where, text, leads }));

/** The answer to a text that resembles nothing. */
const lost = asks(/^I'm not sure what you mean|^Which card\?/);
const showReview = offers('Show Review · Order history');
const oneStep = offers(/^(?:Do it in one step|shop: |api: )/);
const verdict = asks(/^(?:Is “.*” an approval or a change request for|What does “.*” mean for) /s);
/** Something is read: not the answer to words that were not understood. */
const shown = reads(/^(?!I'm not sure|There is no)/);

const idle: readonly Sentence[] = [
  ...all('idle', acts, 'shop: add a wishlist', 'A: fix the typo', 'start shop: dark theme', 'Shop: Fix the footer pls'),
  ...all('idle', acts, 'please start shop: dark theme', 'api: rate limits, 5 per second'),
  ...all('idle', acts, 'A: add a cart, start with impl', 'shop: can you make the title red?', '@bosun shop: new logo'),
  ...all('idle', reads(/shop/), 'status', 'Status?', 'st', 'where are we', 'how is shop?', 'projects'),
  ...all(
    'idle',
    reads(/shop/),
    'show status of shop',
    'status of A',
    "how's shop?",
    'hows shop',
    'what changed in shop?',
  ),
  ...all('idle', offers('status shop'), 'how is shop doing?', 'status shop pls'),
  ...all('idle', reads(/Nothing needs you/), 'inbox', 'what needs me?', 'needs me', 'show inbox', 'show me my inbox'),
  ...all('idle', reads(/Nothing needs you/), "what's waiting for me?", 'anything for me?', 'who needs me'),
  ...all(
    'idle',
    reads(/Nothing runs or waits/),
    'queue',
    'show the queue',
    "what's running?",
    'what is running',
    "what's next?",
  ),
  ...all('idle', reads(/New task/), 'help', 'Help!', '/help'),
  ...all('idle', reads(/no run/), 'show me the diff of shop', 'diff shop', 'log shop'),
  ...all('idle', oneStep, 'fix the login bug in shop', 'Fix the login bug in shop pls', 'fix login bug in shop thx'),
  ...all(
    'idle',
    oneStep,
    'can you fix the login bug in shop?',
    'pls add a wishlist to shop',
    'in shop, fix the header',
  ),
  ...all('idle', oneStep, 'could u fix the login bug in shop', 'hey can you add dark mode to api please?'),
  ...all('idle', oneStep, "shop's login page is broken, fix it", 'the login in shop is broken, please fix it'),
  ...all('idle', offers(/^shop/), 'add a wishlist page', 'fix the login bug', 'make the header sticky pls'),
  ...all('idle', offers('status shop'), 'statsu shop', 'stauts shop', 'status shopp', 'statuss shop'),
  ...all(
    'idle',
    offers('continue shop'),
    'contineu shop',
    'continue shpo',
    'pls continue shop',
    'cont shop',
    'keep going shop',
  ),
  ...all('idle', offers('continue shop'), 'continue shop now', 'continue the shop', 'go ahead with shop'),
  ...all('idle', offers('stop shop'), 'stop shopp', 'stpo shop', 'stop shop now!', 'halt shop'),
  ...all('idle', offers('shop: add login'), 'shpo: add login', 'shopp: add login', 'start shop add login'),
  ...all('idle', offers(/^start shop with two/), 'start shop with twoo: add login', 'start shop with tow: add login'),
  ...all('idle', asks(/no project zebra/), 'continue zebra', 'status zebra', 'stop zebra'),
  ...all(
    'idle',
    asks(/No project has a run/),
    'continue all',
    'resume everything',
    'Continue all please',
    'continue everything',
  ),
  ...all('idle', asks(/Nothing|nothing|No project/), 'stop all', 'stop everything'),
  ...all('idle', lost, 'ok', 'okay', '👍', '+1', 'yes', 'lgtm', 'approve', 'sounds good', 'k', 'yep 👍'),
  ...all('idle', lost, 'hello', 'thanks!', 'good morning', 'lol', '😂', '🚀', 'brb', 'on my way', 'haha nice one', '?'),
  ...all('idle', lost, "don't stop shop", 'never mind', 'I stopped the server', 'did you stop?', 'stop it', 'no wait'),
  ...all('idle', lost, 'should we continue shop tomorrow?', "let's not continue shop", 'I will approve it later'),
  ...all(
    'idle',
    lost,
    'continue writing tests then skip the slow ones',
    'abort the mission',
    'the retry button is ugly',
  ),
  ...all(
    'idle',
    lost,
    'add integration tests for the status page and stop',
    'please do not abort shop',
    'approve shop',
  ),
  ...all('idle', offers(/CI\/CD/), 'set up CI/CD in shop', 'set up CI/CD'),
  ...all('idle', asks(/name/), 'set up ../x', 'set up todo.app', 'set up a/b', 'create project ../../etc'),
  ...all(
    'idle',
    asks(/No folder for new projects/),
    'set up todo-app: a todo list',
    'new project todo-app',
    'create a new project called todo-app',
  ),
];

const oneCard: readonly Sentence[] = [
  ...all(
    'one',
    offers('Approve'),
    'ok',
    'Ok.',
    'okay',
    'k',
    'yes',
    'yep',
    '👍',
    '👍🏽',
    '+1',
    'lgtm',
    'LGTM!',
    'approve',
  ),
  ...all(
    'one',
    offers('Approve'),
    'approved',
    'looks good',
    'looks good to me 👍',
    'sounds good',
    'ship it',
    'go for it',
  ),
  ...all(
    'one',
    offers('Approve'),
    'ok thanks',
    'yes please',
    'perfect, thanks',
    'I approve',
    'ok, ship it 🚀',
    'approve it',
  ),
  ...all('one', reads(/Order history|review/i), 'status', 'inbox', 'what needs me', 'queue', 'why shop', 'status shop'),
  ...all(
    'one',
    shown,
    'show me the diff',
    'what changed?',
    'diff',
    'show diff pls',
    'whats changed?',
    "what's changed?",
  ),
  ...all('one', shown, 'show me what changed', 'can I see the diff?', 'show me the changes', 'what did you change?'),
  ...all('one', showReview, 'hmm the totals look odd', 'not sure about this', 'wait', 'hold on', 'one sec', 'no wait'),
  ...all(
    'one',
    showReview,
    "don't approve",
    'do not approve this',
    'ok?',
    'is it ok?',
    'ok but rename x to y',
    'approve?',
  ),
  ...all(
    'one',
    showReview,
    'not ok',
    'nope',
    'looks good but the tests fail',
    'ok, but why?',
    'yes and no',
    "I don't approve",
  ),
  ...all('one', showReview, 'who approved this?', 'thanks', 'hello', 'cool story', 'ok not yet', 'approve later'),
  ...all('one', oneStep, 'fix the login bug in shop', 'add a wishlist to api'),
  ...all('one', acts, 'abort shop', 'cancel shop'),
  ...all('one', acts, 'stop shop', 'stop all', 'pause shop', 'STOP ALL', '/stop shop', 'stop everything'),
  ...all('one', asks(/Which project/), 'stop', 'STOP', 'stop!'),
];

const twoCards: readonly Sentence[] = [
  ...all(
    'two',
    offers(/^Show Review/),
    'ok',
    '👍',
    '+1',
    'approve',
    'yes',
    'lgtm',
    'sounds good',
    'approve both',
    'approve all',
  ),
  ...all('two', offers(/^Show Review/), 'ship it', 'no', 'reject', 'approve the second one', 'hmm'),
  ...all('two', reads(/shop[\s\S]*api|api[\s\S]*shop/), 'status', 'inbox', 'queue', 'what needs me?', 'projects'),
  ...all('two', acts, 'stop all', 'stop everything', 'pause all'),
  ...all('two', asks(/Which project/), 'diff', 'what changed?', 'continue', 'stop', 'skip', 'abort', 'cancel'),
];

const reply: readonly Sentence[] = [
  ...all(
    'reply',
    acts,
    'ok',
    'approve',
    'yes',
    'lgtm',
    'looks good to me',
    '30 seconds, others OK',
    'LGTM! Great work.',
  ),
  ...all('reply', acts, 'ok, but use 30 seconds'),
  ...all('reply', acts, 'no: wrong endpoint', 'reject: too slow', 'changes: use tabs'),
  ...all(
    'reply',
    offers('Approve'),
    '👍',
    '+1',
    'I approve',
    'sounds good',
    'sure',
    'yeah',
    'yep, thanks',
    'ok 👍',
    'all good',
  ),
  ...all('reply', shown, 'show me the diff', 'what changed?', 'diff', 'show me the changes', 'log', 'status'),
  ...all('reply', verdict, 'looks good but rename x to y', 'ok?', 'ok but why 30 s'),
  ...all('reply', verdict, "looks good, except the tests don't run", 'yes, but wait for Bob'),
  ...all('reply', verdict, 'first part ok, second not', 'rename total to sum', 'hmm'),
];

const asked: readonly Sentence[] = [
  ...all(
    'asked',
    offers('Use it'),
    'please rename total to sum',
    'use tabs',
    'ok',
    '👍',
    'the header should be blue',
    'yes',
  ),
  ...all(
    'asked',
    offers('Use it'),
    'add a test for the empty cart',
    'no',
    'approve',
    'fix the login bug in shop',
    'nothing, sorry',
  ),
  ...all('asked', shown, 'status shop', 'inbox', 'show me the diff', 'help'),
];

const queued: readonly Sentence[] = [
  ...all(
    'queued',
    offers('Take out: Add a dark theme'),
    'drop the dark theme one',
    'cancel r2',
    'remove the dark theme',
  ),
  ...all(
    'queued',
    offers('Take out: Add a dark theme'),
    'cancel the dark theme',
    'forget the dark theme task',
    'abort r2',
  ),
  ...all(
    'queued',
    offers('Take out: Add a dark theme'),
    'take the dark theme out of the queue',
    'delete dark theme pls',
  ),
  ...all('queued', offers('Take out: Add a dark theme'), 'scrap the dark theme', 'remove q2', 'cancel q2'),
  ...all(
    'queued',
    offers('Take out: task B'),
    'cancel task B',
    'remove task B please',
    'can you drop task B?',
    'skip task B',
  ),
  ...all('queued', asks(/dark theme/), "don't do the dark theme", 'not the dark theme'),
  ...all('queued', acts, 'drop q2', 'move q3 up', 'move q3 first', 'drop q3 please'),
  ...all(
    'queued',
    reads(/dark theme[\s\S]*task B/),
    'queue',
    'queue shop',
    'show the queue',
    "what's next?",
    "what's in the queue?",
  ),
  ...all('queued', asks(/last already|no longer|not in the queue/), 'drop q9', 'move q3 down'),
  ...all('queued', offers('abort shop'), 'abort r1', 'cancel r1'),
];

export const phoneSentences: readonly Sentence[] = [...idle, ...oneCard, ...twoCards, ...reply, ...asked, ...queued];
