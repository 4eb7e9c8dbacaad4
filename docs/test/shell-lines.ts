/** The shell lines of the documentation. */
import { fencedBlocks } from './code-blocks.ts'

/** What `libraries.night.test.ts` runs. */
const CLIENTS = 'docs/clients/'

export interface ShellLine {
  readonly page: string
  readonly line: string
}

/** Lines without their comments; one that is continued with a backslash is one line. */
export function shellLines(): ShellLine[] {
  return fencedBlocks()
    .filter(({ language, page }) => language === 'sh' && !page.startsWith(CLIENTS))
    .flatMap(({ page, code }) => linesOf(code).map((line) => ({ page, line })))
}

function linesOf(code: string): string[] {
  const joined = code.replaceAll(/\\\n\s*/g, '')
  return joined
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, ''))
    .filter((line) => line !== '')
}

/** What `shown-commands.night.test.ts` runs at a service that runs. */
export const COMMAND = /^([A-Z_]+=\w+ )*npx -y pnpm@12 grantkit (?!.*<)/
