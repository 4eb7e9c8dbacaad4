import { closest } from 'fastest-levenshtein'
import {
  type Choices,
  FEATURES,
  type FeatureName,
  FRAMEWORKS,
  featuresFor,
  namesOf,
  onWorkers,
  PAGES,
  type PagesName,
  STORES,
  storesFor,
} from './choices.ts'

/** The arguments as they were typed. */
export interface TypedChoices {
  readonly framework?: string | undefined
  readonly store?: string | undefined
  readonly pages?: string | undefined
  /** With commas between them, `all` or `none`. */
  readonly features?: string | undefined
}

/** An argument that cannot be followed. The message says what to type instead. */
export class ChoiceError extends Error {
  override readonly name = 'ChoiceError'
}

/** @throws ChoiceError that names the nearest value */
export function readChoices(typed: TypedChoices): Partial<Choices> {
  const framework = oneOf('framework', namesOf(FRAMEWORKS), typed.framework)
  const store = oneOf('store', namesOf(STORES), typed.store)
  const pages = oneOf('pages', namesOf(PAGES), typed.pages)
  const features = readFeatures(typed.features, pages)
  return {
    ...(framework && { framework }),
    ...(store && { store }),
    ...(pages && { pages }),
    ...(features && { features }),
  }
}

function readFeatures(typed: string | undefined, pages: PagesName = 'grantkit'): FeatureName[] | undefined {
  if (typed === undefined) return undefined
  if (typed === 'none') return []
  if (typed === 'all') return featuresFor(pages)
  return typed.split(',').map((word) => required('features', namesOf(FEATURES), word.trim()))
}

/** @throws ChoiceError if the store does not run there, or a feature needs pages that are not there */
export function checkChoices({ framework, store, pages, features }: Choices): void {
  const stores = storesFor(framework)
  if (!stores.includes(store)) {
    const advice = onWorkers(framework) ? `--store ${stores.join(' or ')}` : '--framework workers'
    throw new ChoiceError(`${framework} does not run with the store ${store}. Use ${advice}.`)
  }
  const possible = featuresFor(pages)
  const without = features.find((name) => !possible.includes(name))
  if (without !== undefined)
    throw new ChoiceError(`${without} shows pages, which own pages lack. Use --pages grantkit.`)
}

function oneOf<Name extends string>(option: string, names: readonly Name[], typed: string | undefined) {
  return typed === undefined ? undefined : required(option, names, typed)
}

function required<Name extends string>(option: string, names: readonly Name[], typed: string): Name {
  const name = names.find((one) => one === typed)
  if (name === undefined) throw new ChoiceError(`--${option}: ${unknownValue(typed, names)}`)
  return name
}

/** `"fastfy" is unknown. Did you mean fastify? Known: fastify, express, hono, workers.` */
export function unknownValue(typed: string, known: readonly string[]): string {
  return `${JSON.stringify(typed)} is unknown. Did you mean ${closest(typed, [...known])}? Known: ${known.join(', ')}.`
}
