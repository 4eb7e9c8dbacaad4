import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { pages } from './code-blocks.ts'

const ROOT = join(import.meta.dirname, '../..')
const CORE = join(ROOT, 'packages/core')
const LINK = /\]\((?<target>[^)]+)\)/g
const HEADING = /^#+ (?<title>.+)$/gm

const read = (page: string) => readFileSync(join(ROOT, page), 'utf8')

it.each(pages())('every link of %s leads to a file, and to a heading of it', (page) => {
  const targets = [...read(page).matchAll(LINK)].map(({ groups }) => groups?.target ?? '')
  const own = targets.filter((target) => !/^[a-z]+:/.test(target))
  expect(own.filter((target) => !leadsSomewhere(page, target))).toEqual([])
})

it('the table "Where is RFC …?" names files that are there', () => {
  const table = readFileSync(join(CORE, 'README.md'), 'utf8').split('## ').find(isTable) ?? ''
  const files = [...table.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file)
  expect(files.length).toBeGreaterThan(20)
  expect(files.filter((file) => !existsSync(join(CORE, 'src', file)))).toEqual([])
})

function isTable(section: string): boolean {
  return section.startsWith('Where is RFC')
}

function leadsSomewhere(page: string, target: string): boolean {
  const [path = '', heading] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(ROOT, file))) return false
  return heading === undefined || !file.endsWith('.md') || headingsOf(read(file)).includes(heading)
}

/** As GitHub and the site name them. */
function headingsOf(text: string): string[] {
  return [...text.matchAll(HEADING)].map(({ groups }) =>
    (groups?.title ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it.each(pages())('%s links no address of the own machine, at which the build of the site ends', (page) => {
  const prose = read(page).replaceAll(/```[\s\S]*?```|`[^`]*`/g, '')
  expect(prose.match(/https?:\/\/localhost\S*/g)).toBeNull()
})
