// What a rule about one piece of Block Kit is made of; problems are worded as Slack words them.

export type Surface = 'message' | 'modal' | 'home';
export type Json = Readonly<Record<string, unknown>>;

/** One look over the blocks of a message or a view. */
export interface Look {
  readonly surface: Surface;
  readonly problems: string[];
  readonly blockIds: Set<string>;
  readonly actionIds: Set<string>;
}

export type Rule = (value: unknown, at: string, look: Look) => void;

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function problem(look: Look, at: string, what: string): void {
  look.problems.push(`${what} [json-pointer:${at}]`);
}

export function text(maxChars: number, minChars = 1): Rule {
  return (value, at, look) => {
    if (typeof value !== 'string') problem(look, at, 'must be a string');
    else if (value.length < minChars) problem(look, at, `must be more than ${minChars - 1} characters`);
    else if (value.length > maxChars) problem(look, at, `must be less than ${maxChars + 1} characters`);
  };
}

export const flag: Rule = (value, at, look) => {
  if (typeof value !== 'boolean') problem(look, at, 'must be a boolean');
};

export function number(min: number, max: number): Rule {
  return (value, at, look) => {
    const isFine = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
    if (!isFine) problem(look, at, `must be a number from ${min} to ${max}`);
  };
}

export function word(...words: readonly string[]): Rule {
  return (value, at, look) => {
    if (!words.includes(String(value))) problem(look, at, `must be one of: ${words.join(', ')}`);
  };
}

export function matching(pattern: RegExp): Rule {
  return (value, at, look) => {
    if (typeof value !== 'string' || !pattern.test(value)) problem(look, at, 'must be a valid value');
  };
}

/** What Slack takes and this has no rule for. */
export const anything: Rule = () => undefined;

export function list(maxItems: number, rule: Rule, minItems = 1): Rule {
  return (value, at, look) => {
    if (!Array.isArray(value)) return problem(look, at, 'must be an array');
    if (value.length < minItems) problem(look, at, `no less than ${minItems} items allowed`);
    if (value.length > maxItems) problem(look, at, `no more than ${maxItems} items allowed`);
    for (const [index, item] of value.entries()) rule(item, `${at}/${index}`, look);
  };
}

/** A name that ends in `?` may be left out; a name that is not here is refused. */
export function shape(fields: Readonly<Record<string, Rule>>): Rule {
  const rules = Object.entries(fields).map(([name, rule]) => ({
    name: name.replace('?', ''),
    isOptional: name.endsWith('?'),
    rule,
  }));
  return (value, at, look) => {
    if (!isJson(value)) return problem(look, at, 'must be an object');
    for (const { name, isOptional, rule } of rules) {
      const held = value[name];
      if (held !== undefined) rule(held, `${at}/${name}`, look);
      else if (!isOptional) problem(look, at, `missing required field: ${name}`);
    }
    for (const name of Object.keys(value)) {
      if (name === 'type' || rules.some((one) => one.name === name)) continue;
      problem(look, at, `invalid additional property: ${name}`);
    }
  };
}

export function kinds(all: Readonly<Record<string, Rule>>): Rule {
  return (value, at, look) => {
    if (!isJson(value)) return problem(look, at, 'must be an object');
    const type = String(value['type'] ?? '');
    const rule = Object.hasOwn(all, type) ? all[type] : undefined;
    if (!rule)
      return problem(look, `${at}/type`, type === '' ? 'missing required field: type' : `unsupported type: ${type}`);
    rule(value, at, look);
  };
}

export function both(...rules: readonly Rule[]): Rule {
  return (value, at, look) => {
    for (const rule of rules) rule(value, at, look);
  };
}

export function only(surfaces: readonly Surface[], rule: Rule): Rule {
  return (value, at, look) => {
    if (surfaces.includes(look.surface)) rule(value, at, look);
    else problem(look, `${at}/type`, `unsupported type: ${isJson(value) ? String(value['type']) : 'none'}`);
  };
}
