import type { Readable, Writable } from 'node:stream'
import { confirm, isCancel, multiselect, select, text } from '@clack/prompts'
import {
  type Choice,
  type Choices,
  FEATURES,
  type FeatureName,
  FRAMEWORKS,
  type Framework,
  featuresFor,
  namesOf,
  PAGES,
  STORES,
  type StoreName,
  storesFor,
} from './choices.ts'
import { ChoiceError } from './read-choices.ts'

/** Where the questions are asked. Default: the terminal. */
export interface Terminal {
  readonly input?: Readable
  readonly output?: Writable
}

/** Asks for the folder. @throws ChoiceError if the user cancels */
export async function askFolder(check: (folder: string) => void, terminal: Terminal = {}): Promise<string> {
  const validate = (value = DEFAULT_FOLDER) => {
    try {
      check(value || DEFAULT_FOLDER)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }
  const message = 'Where?'
  const asked = { message, placeholder: DEFAULT_FOLDER, defaultValue: DEFAULT_FOLDER, validate, ...terminal }
  return answerOf(await text(asked))
}

export const DEFAULT_FOLDER = 'my-authorization-server'

/** Asks for what the arguments left open. @throws ChoiceError if the user cancels */
export async function askChoices(given: Partial<Choices>, terminal: Terminal = {}): Promise<Choices> {
  const ask = <Name extends string>(message: string, choices: Readonly<Record<Name, Choice>>) =>
    askOne(message, optionsOf(choices, namesOf(choices)), terminal)
  const framework = given.framework ?? (await ask('Which framework?', FRAMEWORKS))
  const store = given.store ?? (await askStore(framework, terminal))
  const pages = given.pages ?? (await ask('Whose pages?', PAGES))
  const features = given.features ?? (await askFeatures(featuresFor(pages), terminal))
  return { framework, store, pages, features }
}

/** Asks nothing if only one store runs there. */
async function askStore(framework: Framework, terminal: Terminal): Promise<StoreName> {
  const possible = storesFor(framework)
  const [only] = possible
  if (only !== undefined && possible.length === 1) return only
  return askOne('Which store?', optionsOf(STORES, possible), terminal)
}

async function askOne<Name extends string>(
  message: string,
  options: readonly { value: Name; label: string; hint?: string }[],
  terminal: Terminal,
): Promise<Name> {
  return answerOf(await select<string>({ message, options: [...options], ...terminal })) as Name
}

async function askFeatures(possible: readonly FeatureName[], terminal: Terminal): Promise<FeatureName[]> {
  const options = optionsOf(
    FEATURES,
    possible.filter((name) => name !== 'known-clients'),
  )
  const asked = { message: 'Which features?', options, required: false }
  const features = answerOf(await multiselect<string>({ ...asked, ...terminal })) as FeatureName[]
  const message = 'Let Claude, ChatGPT, Cursor and others sign in?'
  const known = answerOf(await confirm({ message, ...terminal }))
  return known ? [...features, 'known-clients'] : features
}

function optionsOf<Name extends string>(choices: Readonly<Record<Name, Choice>>, names: readonly Name[]) {
  return names.map((value) => {
    const { label, hint } = choices[value]
    return { value, label, ...(hint !== undefined && { hint }) }
  })
}

function answerOf<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isCancel(answer)) throw new ChoiceError('Cancelled. Nothing was written.')
  return answer as Exclude<Answer, symbol>
}
