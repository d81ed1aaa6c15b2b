import type { Run } from '../model.js';

/** In the order of arrival, unless a person moved one. */
export function byPlace(one: Run, other: Run): number {
  return placeOf(one) - placeOf(other) || one.number - other.number;
}

export function placeOf({ place, number }: Pick<Run, 'place' | 'number'>): number {
  return place ?? number;
}
