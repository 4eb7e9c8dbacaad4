import { Readable, Writable } from 'node:stream'
import { stripVTControlCharacters } from 'node:util'

/** What a command printed, and the exit status of its program. */
export interface RanCommand {
  readonly status: number
  readonly output: string
}

let runs = 0

/**
 * Runs a command of `cli.ts` in this process, one at a time, because a process of its own takes twenty times as long.
 *
 * @param input its standard input
 */
export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  input = '',
): Promise<RanCommand> {
  let output = ''
  const print = (text: string) => {
    output += stripVTControlCharacters(text)
  }
  const stdout = new Writable({
    write(chunk, _, done) {
      print(String(chunk))
      done()
    },
  })
  const restored = [
    replace(process, 'argv', [process.execPath, 'cli.ts', ...words]),
    replace(process, 'env', { DATABASE_URL: 'memory:', ...environment }),
    replace(process, 'stdin', Readable.from([input])),
    replace(process, 'stdout', stdout),
    ...['log', 'error'].map((name) => replace(console, name, (text: string) => print(`${text}\n`))),
  ]
  try {
    // Each query makes a new module of the file, which runs its command when it is imported.
    await import(new URL(`../src/cli.ts?run=${runs++}`, import.meta.url).href)
    return { status: Number(process.exitCode ?? 0), output }
  } finally {
    for (const restore of restored) restore()
    process.exitCode = undefined
  }
}

/** @returns a function that puts the former property back */
function replace(object: object, name: string, value: unknown): () => void {
  const former = Object.getOwnPropertyDescriptor(object, name)
  Object.defineProperty(object, name, { value, configurable: true, writable: true })
  return () => {
    if (former === undefined) Reflect.deleteProperty(object, name)
    else Object.defineProperty(object, name, former)
  }
}
