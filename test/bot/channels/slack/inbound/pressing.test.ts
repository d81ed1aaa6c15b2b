import { describe, expect, it } from 'vitest';
import { continuePress } from '../../../../../src/bot/channels/slack/inbound/index.js';
import { faults } from '../server/index.js';
import { given, reviewed } from './given.js';

describe('a Slack button press', () => {
  it('records the answer and posts no message beside the card', async () => {
    const { bob, shown, runtime, settled, textsIn, general } = await reviewed();
    const delivery = bob.presses(shown, 'Approve');
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.answer).toMatchObject({ option: 'approve', by: 'bob' });
    expect([delivery.answer, textsIn(`sl:${general.id}:@${bob.id}`)]).toEqual([{}, []]);
  });

  it('is answered only to the presser when it is too late or not allowed', async () => {
    const { bob, slack, shown, settled, textsIn, general, thread } = await reviewed();
    const vic = slack.person('U04VIC', 'Vic');
    const approve = bob.button(shown, 'Approve');
    vic.pressesButton(shown, approve);
    await settled();
    bob.pressesButton(shown, approve);
    await settled();
    const said = textsIn(thread).length;
    bob.pressesButton(shown, bob.button(shown, 'Reject'));
    await settled();
    expect(textsIn(`sl:${general.id}:@${vic.id}`)[0]).toMatch(/^You're an? \w+ in shop; .* takes an? /);
    expect(textsIn(`sl:${general.id}:@${bob.id}`)[0]).toContain('is already closed');
    expect(textsIn(thread)).toHaveLength(said);
  });

  it('is refused to the presser alone when it needs more rights than they have', async () => {
    const { ada, bob, general, runtime, settled, shows, textsIn } = await given();
    const { message: root } = ada.mentions(general, 'start shop: add a login');
    await settled();
    const thread = `sl:${general.id}:${root.ts}`;
    const card = runtime.store.cardMessage(thread, 'i1-1') ?? undefined;
    const said = textsIn(thread).length;
    bob.presses(shows(card, general, { threadTs: root.ts }), 'Start');
    await settled();
    expect(textsIn(`sl:${general.id}:@${bob.id}`)[0]).toMatch(/^You're an? \w+ in shop; .* takes an? /);
    expect(textsIn(thread)).toHaveLength(said);
  });

  it('on an offer works only on the message that made the offer', async () => {
    const { ada, bob, general, runtime, settled, shows, textsIn, slack } = await given();
    const { message } = ada.mentions(general, 'projects');
    bob.mentions(general, 'projects');
    await settled();
    const own = runtime.store.message('m1') ?? undefined;
    const shown = shows(own, general, { threadTs: message.ts });
    const foreign = slack.world.post({ channel: general, user: slack.bot.id, isApps: true, text: 'x' });
    const button = ada.button(shown, 'shop');
    ada.pressesButton(foreign, button);
    await settled();
    expect(textsIn(`sl:${general.id}:@${ada.id}`)).toEqual(['I no longer know that button.']);
    ada.pressesButton(shown, button);
    await settled();
    expect(textsIn(own?.thread ?? '').at(-1)).toContain('shop: idle');
  });

  it('on an ephemeral message opens a public thread when it drives work', async () => {
    const { ada, general, runtime, settled, shows, textsIn } = await reviewed();
    ada.slash(general, '/bosun', 'continu shop');
    await settled();
    const [own] = runtime.store.messages(`sl:${general.id}:@${ada.id}`, null, 1);
    const shown = shows(own, general, { ephemeralTo: ada.id });
    ada.presses(shown, 'continue shop');
    await settled();
    const opened = runtime.store.messages(`sl:${general.id}:@${ada.id}`, null, 9);
    expect(opened).toHaveLength(1);
    const ids = Array.from({ length: 30 }, (_, number) => runtime.store.message(`m${number}`)?.thread ?? '');
    const thread = ids.find((one) => /:c[0-9a-f]{16}$/.test(one)) ?? '';
    expect(textsIn(thread)).toEqual([
      ...['Ada asks: continue shop', 'Updates on “add a login” are in its own thread.'],
      expect.stringMatching(/^Review · add a login/),
    ]);
  });

  it('is handled once although Slack redelivers it', async () => {
    const { bob, shown, slack, settled, textsIn, general } = await reviewed();
    const delivery = bob.presses(shown, 'Approve');
    await settled();
    slack.repeat(delivery);
    await settled();
    expect(textsIn(`sl:${general.id}:@${bob.id}`)).toEqual([]);
  });

  it('on the home tab is answered in the direct chat of the presser', async () => {
    const { bob, ada, slack, settled, runtime, textsIn, card } = await reviewed();
    const button = (press: string) => ({
      type: 'actions',
      elements: [{ type: 'button', action_id: press, text: { type: 'plain_text', text: press }, value: press }],
    });
    const [approve = ''] = card.view.buttons.map(({ press }) => press);
    const blocks = [button(continuePress('shop')), button(approve), button('m1.0')];
    const home = slack.world.addView({ type: 'home', user: ada.id, json: { type: 'home', blocks } });
    ada.presses(home, continuePress('shop'));
    ada.presses(home, 'm1.0');
    await settled();
    expect(textsIn(`sl:${ada.id}`)).toHaveLength(1);
    bob.presses(home, approve);
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.answer).toMatchObject({ by: 'bob' });
  });
});

describe('an option that needs text', () => {
  it('opens a modal at once and answers when the modal is submitted', async () => {
    const { bob, shown, slack, settled, runtime } = await reviewed();
    bob.presses(shown, 'Request changes');
    await slack.until('the window is there', () => bob.modal !== null);
    await settled();
    expect(runtime.store.interaction('i1-2')?.interaction.state).toBe('open');
    const modal = bob.modal;
    if (modal === null) throw new Error('There is no window');
    expect(await bob.submits(modal, { 'What should be different?': '   ' })).toMatchObject({ action: 'errors' });
    expect(await bob.submits(modal, { 'What should be different?': 'use tabs' })).toMatchObject({ action: 'clear' });
    await settled();
    const { answer } = runtime.store.interaction('i1-2')?.interaction ?? {};
    expect(answer).toMatchObject({ option: 'changes', text: 'use tabs', by: 'bob' });
  });

  it('reports in the modal that the card is already decided, and keeps the modal open', async () => {
    const { ada, bob, shown, slack, settled } = await reviewed();
    bob.presses(shown, 'Request changes');
    await slack.until('the window is there', () => bob.modal !== null);
    ada.presses(shown, 'Approve');
    await settled();
    const modal = bob.modal;
    if (modal === null) throw new Error('There is no window');
    const { action, errors } = await bob.submits(modal, { 'What should be different?': 'use tabs' });
    expect([action, Object.values(errors).join()]).toEqual([
      'errors',
      expect.stringMatching(/^Too late, already decided\. .*by Ada, \d+ s ago/s),
    ]);
  });

  it('asks for the text in the thread when the modal cannot be opened, and takes the next message as the answer', async () => {
    const { bob, shown, slack, settled, runtime, root, general, log } = await reviewed();
    slack.plant({ method: 'views.open', fault: faults.refuse('expired_trigger_id') });
    bob.presses(shown, 'Request changes');
    await slack.until('words are asked for', () => log.some((line) => line.includes('expired_trigger_id')));
    await settled();
    expect(bob.modal).toBeNull();
    bob.says(general, 'use tabs instead of spaces', { thread: root });
    await settled();
    const { answer } = runtime.store.interaction('i1-2')?.interaction ?? {};
    expect(answer).toMatchObject({ option: 'changes', text: 'use tabs instead of spaces' });
  });

  it('opens one modal although the press is redelivered', async () => {
    const { bob, shown, slack, settled, intake } = await reviewed();
    const delivery = bob.presses(shown, 'Request changes');
    await slack.until('the window is there', () => bob.modal !== null);
    slack.repeat(delivery);
    await settled();
    // Until the last call is answered.
    await intake.close();
    expect(slack.ledger.calls('views.open')).toHaveLength(1);
  });

  it('opens no modal for a person who may not answer', async () => {
    const { slack, shown, settled, textsIn, general } = await reviewed();
    const vic = slack.person('U04VIC', 'Vic');
    vic.presses(shown, 'Request changes');
    await settled();
    expect(vic.modal).toBeNull();
    expect(textsIn(`sl:${general.id}:@${vic.id}`)[0]).toMatch(/^You're an? \w+ in shop; .* takes an? /);
  });
});
