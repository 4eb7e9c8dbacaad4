import { glob, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

/** `pnpm check` compiles everything as one program, which names the folders of all others. */

const ROOT = join(import.meta.dirname, '..')

async function includes(config: string): Promise<string[]> {
  const text = await readFile(join(ROOT, config), 'utf8')
  return JSON.parse(text.replaceAll(/^ *\/\/.*$/gm, '')).include
}

it('the program of `pnpm check` has the folders of every package', async () => {
  const checked = await includes('tsconfig.check.json')
  const kinds = ['{packages,apps,examples}/*/tsconfig.json', 'docs/tsconfig.json', 'tsconfig.json']
  const missing: string[] = []
  for await (const config of glob(kinds, { cwd: ROOT }))
    for (const folder of await includes(config)) {
      const ofKind = join(dirname(config).replace(/\/.*/, '/*'), folder)
      if (!checked.includes(ofKind)) missing.push(join(dirname(config), folder))
    }
  expect(missing).toEqual([])
})
