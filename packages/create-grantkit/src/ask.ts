import type { Readable, Writable } from 'node:stream'
import { confirm, isCancel, multiselect, select, text } from '@clack/prompts'
import {
  APPS,
  type AppName,
  type Choice,
  type Choices,
  completed,
  DEFAULTS,
  FEATURES,
  type FeatureName,
  FRAMEWORKS,
  featuresFor,
  namesOf,
  PAGES,
  STORES,
  storesFor,
} from './choices.ts'
import { ChoiceError, checkArguments, problemOf } from './read-choices.ts'

/** Where the questions are asked. Default: the terminal. */
export interface Terminal {
  readonly input?: Readable
  readonly output?: Writable
}

export const DEFAULT_FOLDER = 'my-authorization-server'

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

/** Asks for what the arguments left open, but for the accent and the languages. @throws ChoiceError if the user cancels */
export async function askChoices(given: Partial<Choices>, terminal: Terminal = {}): Promise<Choices> {
  const app = given.app ?? (await askOne('What does it protect?', APPS, namesOf(APPS), terminal))
  checkArguments(app, given)
  const name = given.name ?? (await askText('name', 'What is the name of your service?', app, terminal))
  const ask = app === 'server' ? askServer : askProgram
  return completed({ ...given, app, name, ...(await ask(given, terminal)) })
}

async function askProgram(given: Partial<Choices>, terminal: Terminal): Promise<Partial<Choices>> {
  const ask = <Name extends string>(message: string, choices: Readonly<Record<Name, Choice>>) =>
    askOne(message, choices, namesOf(choices), terminal)
  const framework = given.framework ?? (await ask('Which framework?', FRAMEWORKS))
  const possible = storesFor('api', framework)
  const store = given.store ?? (await askOne('Which store?', STORES, possible, terminal))
  const pages = given.pages ?? (await ask('Whose pages?', PAGES))
  const features = given.features ?? (await askFeatures(featuresFor('api', pages), terminal))
  return { framework, store, pages, features }
}

async function askServer(given: Partial<Choices>, terminal: Terminal): Promise<Partial<Choices>> {
  const typed = (name: 'url' | 'resource', message: string, placeholder?: string) =>
    askText(name, message, 'server', terminal, placeholder)
  const url = given.url ?? (await typed('url', 'At which public address will the server run?'))
  const users = given.users ?? (await askUsers(terminal))
  const possible = storesFor('server', DEFAULTS.framework)
  const store = given.store ?? (await askOne('Which database?', STORES, possible, terminal))
  const message = 'Which API or MCP server accepts the tokens? Empty: none yet'
  const resource = given.resource ?? (await typed('resource', message, 'https://…'))
  const features = given.features ?? (await askKnownClients(terminal))
  return { url, users, store, resource, features }
}

async function askText(
  name: 'name' | 'url' | 'resource',
  message: string,
  app: AppName,
  terminal: Terminal,
  placeholder?: string,
): Promise<string> {
  const { [name]: defaultValue } = completed({ app })
  const validate = (answer: string | undefined) => problemOf(name, answer || defaultValue)
  const asked = { message, placeholder: placeholder ?? defaultValue, defaultValue, validate }
  return answerOf(await text({ ...asked, ...terminal }))
}

async function askUsers(terminal: Terminal): Promise<string> {
  const options = [
    { value: 'here', label: 'This server', hint: 'accounts with passwords and passkeys' },
    { value: 'application', label: 'An application next to it', hint: 'it has the users already' },
  ]
  const who = answerOf(await select({ message: 'Who signs users in?', options, ...terminal }))
  if (who === 'here') return who
  const validate = (answer = '') => (answer === 'here' ? 'must be a URL' : problemOf('users', answer))
  const message = 'What is the URL of its sign-in page?'
  return answerOf(await text({ message, placeholder: 'https://…', validate, ...terminal }))
}

/** Asks nothing if there is one answer. */
async function askOne<Name extends string>(
  message: string,
  choices: Readonly<Record<Name, Choice>>,
  names: readonly Name[],
  terminal: Terminal,
): Promise<Name> {
  const [only] = names
  if (only !== undefined && names.length === 1) return only
  return answerOf(await select<string>({ message, options: optionsOf(choices, names), ...terminal })) as Name
}

async function askFeatures(possible: readonly FeatureName[], terminal: Terminal): Promise<FeatureName[]> {
  const options = optionsOf(
    FEATURES,
    possible.filter((name) => name !== 'known-clients'),
  )
  const asked = { message: 'Which features?', options, required: false }
  const features = answerOf(await multiselect<string>({ ...asked, ...terminal })) as FeatureName[]
  return [...features, ...(await askKnownClients(terminal))]
}

async function askKnownClients(terminal: Terminal): Promise<FeatureName[]> {
  const message = 'Let Claude, ChatGPT, Cursor and others sign in?'
  return answerOf(await confirm({ message, ...terminal })) ? ['known-clients'] : []
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
