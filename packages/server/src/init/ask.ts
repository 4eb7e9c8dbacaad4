import type { Readable, Writable } from 'node:stream'
import { isCancel, select, text } from '@clack/prompts'
import { DEFAULTS, type GivenAnswers, PROBLEMS } from './answers.ts'

/** Where the questions are asked. Default: the terminal. */
export interface Terminal {
  readonly input?: Readable
  readonly output?: Writable
}

/** Asks for what the options left open. @throws Error if the user cancels */
export async function askFor(given: GivenAnswers, terminal: Terminal = {}): Promise<GivenAnswers> {
  const typed = (question: keyof GivenAnswers, message: string, placeholder: string = DEFAULTS[question]) =>
    askText(question, { message, placeholder, ...terminal })
  const name = given.name ?? (await typed('name', 'What is the name of your service?'))
  const url = given.url ?? (await typed('url', 'At which public address will the server run?'))
  const users = given.users ?? (await askUsers(terminal))
  const database = given.database ?? (await askDatabase(terminal))
  const resource =
    given.resource ??
    (await typed('resource', 'Which API or MCP server accepts the tokens? Empty: none yet', 'https://…'))
  const knownClients = given['known-clients'] ?? (await askKnownClients(terminal))
  return { name, url, users, database, resource, 'known-clients': knownClients }
}

interface Question extends Terminal {
  readonly message: string
  readonly placeholder: string
}

async function askText(name: keyof GivenAnswers, question: Question): Promise<string> {
  const defaultValue: string = DEFAULTS[name]
  return answerOf(
    await text({ ...question, defaultValue, validate: (answer) => PROBLEMS[name](answer || defaultValue) }),
  )
}

async function askUsers(terminal: Terminal): Promise<string> {
  const options = [
    { value: 'here', label: 'This server', hint: 'accounts with passwords and passkeys' },
    { value: 'application', label: 'An application next to it', hint: 'it has the users already' },
  ]
  const who = answerOf(await select({ message: 'Who signs users in?', options, ...terminal }))
  if (who === 'here') return who
  const validate = (answer = '') => (answer === 'here' ? 'must be a URL' : PROBLEMS.users(answer))
  const message = 'What is the URL of its sign-in page?'
  return answerOf(await text({ message, placeholder: 'https://…', validate, ...terminal }))
}

async function askDatabase(terminal: Terminal): Promise<string> {
  const options = [
    { value: 'sqlite', label: 'An SQLite file', hint: 'one host' },
    { value: 'postgres', label: 'Postgres', hint: 'many replicas' },
  ]
  return answerOf(await select({ message: 'Which database?', options, ...terminal }))
}

async function askKnownClients(terminal: Terminal): Promise<string> {
  const options = [
    { value: 'on', label: 'Yes', hint: 'grantkit clients known lists them' },
    { value: 'off', label: 'No', hint: 'only apps on the computer of the user, and those that you add' },
  ]
  const message = 'Let Claude, ChatGPT, Cursor and others sign in?'
  return answerOf(await select({ message, options, ...terminal }))
}

function answerOf<Answer>(answer: Answer): Exclude<Answer, symbol> {
  if (isCancel(answer)) throw new Error('Cancelled. Nothing was written.')
  return answer as Exclude<Answer, symbol>
}
