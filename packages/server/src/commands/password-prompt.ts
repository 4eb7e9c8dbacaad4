import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { newPasswordProblem } from '../accounts/new-password.ts'

/** A new password from standard input, never from an option: other users of the machine see the arguments of programs. */
export async function readPassword(): Promise<string> {
  const password = process.stdin.isTTY ? await ask() : (await text(process.stdin)).replace(/\r?\n$/, '')
  const problem = newPasswordProblem(password)
  if (problem !== undefined) throw new Error(problem)
  return password
}

async function ask(): Promise<string> {
  // Then the terminal echoes nothing, and the output of readline is discarded.
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const prompt = createInterface({ input: process.stdin, output, terminal: true })
  process.stderr.write('Password (not shown): ')
  const password = await prompt.question('')
  prompt.close()
  process.stderr.write('\n')
  return password
}
