import { randomUUID } from 'node:crypto'
import { access } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { styleText } from 'node:util'
import { readAccounts, writeAccounts } from '../accounts.ts'
import { hashPassword } from '../passwords.ts'
import { readCommandLine, refuse } from './command-line.ts'

/** Adds an account to the file that ACCOUNTS_FILE names. The password comes from standard input, never from a flag. */

const USAGE = `pnpm account add --email <address> --name <name> [--file accounts.json]

The password is asked for, or read from standard input.`
const LEAST_PASSWORD = 8

const { values, positionals } = readCommandLine(USAGE, {
  allowPositionals: true,
  options: {
    email: { type: 'string' },
    name: { type: 'string' },
    file: { type: 'string', default: process.env.ACCOUNTS_FILE ?? 'accounts.json' },
  },
})

try {
  const { email, name, file } = values
  if (positionals.join(' ') !== 'add') refuse(USAGE, 'The command must be add.')
  if (email === undefined || name === undefined) refuse(USAGE, '--email and --name must be given.')
  await add(file, email, name)
} catch (error) {
  console.error(styleText('red', `Not added. ${error instanceof Error ? error.message : error}`))
  process.exitCode = 1
}

async function add(file: string, email: string, name: string): Promise<void> {
  const accounts = (await exists(file)) ? await readAccounts(file) : []
  const address = email.trim().toLowerCase()
  if (!/^[^\s@]+@[^\s@]+$/.test(address)) throw new Error(`${email} is not an e-mail address.`)
  if (accounts.some((account) => account.email === address))
    throw new Error(`${address} has an account already.`)
  const password = await hashPassword(await readPassword())
  const updated_at = Math.floor(Date.now() / 1000)
  const account = { id: randomUUID(), email: address, email_verified: false, name, updated_at, password }
  await writeAccounts(file, [...accounts, account])
  console.log(`${address} can sign in. The service reads ${file} when it starts.`)
}

async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await ask() : (await text(process.stdin)).replace(/\r?\n$/, '')
  if (password.length < LEAST_PASSWORD)
    throw new Error(`The password must have at least ${LEAST_PASSWORD} characters.`)
  return password
}

async function ask(): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const password = await prompt.question('Password: ')
  prompt.close()
  return password
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
