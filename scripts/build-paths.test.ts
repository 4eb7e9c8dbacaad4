import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8')

it('a build reads the declarations of every entry of core, and not its sources', () => {
  const { exports } = JSON.parse(read('packages/core/package.json')).publishConfig
  const config = read('tsconfig.build.json')
  const missing = Object.keys(exports).filter(
    (entry) => !config.includes(`"@grantkit/core${entry.slice(1)}":`),
  )
  expect(missing).toEqual([])
})

it('the build of the server copies every style and script that its pages send', () => {
  const { build } = JSON.parse(read('packages/server/package.json')).scripts
  const sent = globSync('src/**/*.{css,js}', { cwd: join(import.meta.dirname, '../packages/server') })
  expect(sent.filter((file) => !build.includes(` ${file} `))).toEqual([])
})
