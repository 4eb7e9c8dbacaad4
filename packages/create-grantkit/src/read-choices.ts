import { isLoopbackUrl } from '@grantkit/core/feature'
import { closest } from 'fastest-levenshtein'
import {
  APPS,
  type AppName,
  type Choices,
  FEATURES,
  type FeatureName,
  FRAMEWORKS,
  featuresFor,
  LANGUAGES,
  namesOf,
  onWorkers,
  PAGES,
  STORES,
  storesFor,
} from './choices.ts'

/** The arguments as they were typed: lists with commas between. */
export type TypedChoices = { readonly [Name in keyof Choices]?: string | undefined }

/** An argument that cannot be followed. The message says what to type instead. */
export class ChoiceError extends Error {
  override readonly name = 'ChoiceError'
}

type TextName = 'name' | 'accent' | 'url' | 'users' | 'resource'

const isSafe = (url: string) => URL.canParse(url) && (url.startsWith('https://') || isLoopbackUrl(url))

/** What a text must be, and whether it is. */
const TEXTS: Readonly<Record<TextName, readonly [must: string, is: (text: string) => boolean]>> = {
  name: ['must not be empty', (name) => name.trim() !== ''],
  accent: ['must be a color such as #0f766e', (color) => /^#[0-9a-f]{6}$/i.test(color)],
  url: [
    'must be an https URL, or one of localhost, without a trailing slash',
    (url) => /^https?:\/\/[^/?#\s]+(\/[^/?#\s]+)*$/.test(url) && isSafe(url),
  ],
  users: [
    'must be here, or the https URL of the sign-in page of your application',
    (users) => users === 'here' || isSafe(users),
  ],
  resource: [
    'must be a URL without a fragment, or empty',
    (url) => url === '' || (URL.canParse(url) && /^https?:\/\/[^#\s]+$/.test(url)),
  ],
}

/** What is wrong with a text; `undefined` if nothing is. */
export function problemOf(name: TextName, text: string): string | undefined {
  const [must, is] = TEXTS[name]
  return is(text) ? undefined : must
}

/** @throws ChoiceError that names the option at fault, and the nearest value */
export function readChoices(typed: TypedChoices): Partial<Choices> {
  checkTexts(typed)
  const { name, accent, url, users, resource } = typed
  const pages = oneOf('pages', namesOf(PAGES), typed.pages)
  const app = oneOf('app', namesOf(APPS), typed.app)
  const read: { readonly [Name in keyof Choices]: Choices[Name] | undefined } = {
    ...{ app, name, accent, pages, url, users, resource },
    framework: oneOf('framework', namesOf(FRAMEWORKS), typed.framework),
    store: oneOf('store', namesOf(STORES), typed.store),
    languages: typed.languages?.split(',').map((word) => required('languages', LANGUAGES, word.trim())),
    features: readFeatures(typed.features, featuresFor(app ?? 'api', pages ?? 'grantkit')),
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined))
}

function readFeatures(typed: string | undefined, all: FeatureName[]): FeatureName[] | undefined {
  if (typed === undefined) return undefined
  if (typed === 'none') return []
  if (typed === 'all') return all
  return typed.split(',').map((word) => required('features', namesOf(FEATURES), word.trim()))
}

/** What the other kinds of projects do not have. */
const OF_PROGRAMS = ['framework', 'pages', 'languages'] as const
const OF_A_SERVER = ['url', 'users', 'resource'] as const

/** @throws ChoiceError if an argument means nothing there */
export function checkArguments(app: AppName | undefined, given: Partial<Choices>): void {
  if (app === undefined) return
  const others = app === 'server' ? OF_PROGRAMS : OF_A_SERVER
  const without = others.find((name) => given[name] !== undefined)
  if (without !== undefined)
    throw new ChoiceError(`--${without} is for --app ${app === 'server' ? 'api or mcp' : 'server'}.`)
}

/** @throws ChoiceError if the store does not run there, or a choice needs pages that are not there */
export function checkChoices({ app, framework, store, pages, features, ...look }: Choices): void {
  const stores = storesFor(app, framework)
  if (!stores.includes(store)) {
    const onNode = app !== 'server' && !onWorkers(framework)
    const place = app === 'server' ? 'A server' : framework
    const advice = onNode ? '--framework workers' : `--store ${stores.join(' or ')}`
    throw new ChoiceError(`${place} does not run with the store ${store}. Use ${advice}.`)
  }
  const possible = featuresFor(app, pages)
  const without = features.find((name) => !possible.includes(name))
  if (without !== undefined && app === 'server')
    throw new ChoiceError(`${without} is a line of grantkit.config.ts. Use --features known-clients or none.`)
  if (without !== undefined)
    throw new ChoiceError(`${without} shows pages, which own pages lack. Use --pages grantkit.`)
  const painted = (['accent', 'languages'] as const).find((name) => look[name] !== undefined)
  if (painted !== undefined && app !== 'server' && pages === 'own')
    throw new ChoiceError(`--${painted} is for the pages of Grantkit. Use --pages grantkit.`)
}

/** @throws ChoiceError that names the option at fault */
export function checkTexts(typed: { readonly [Name in TextName]?: string | undefined }): void {
  for (const name of namesOf(TEXTS)) {
    const text = typed[name]
    const problem = text === undefined ? undefined : problemOf(name, text)
    if (problem !== undefined) throw new ChoiceError(`--${name} ${problem}, not ${JSON.stringify(text)}.`)
  }
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
