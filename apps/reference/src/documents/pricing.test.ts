import { expect, it } from 'vitest'
import type { SchoolRecords } from '../school/records.ts'
import { pricingMarkdown } from './pricing.ts'

async function rowOf(title: string): Promise<string | undefined> {
  const list = async () => ({ items: [{ id: 'c1', title, price: { amount: 0 } }], total: 1 })
  const text = await pricingMarkdown({ list } as unknown as SchoolRecords)
  return text.split('\n').find((line) => line.endsWith('| free |'))
}

it.each([
  ['Bread at home', 'Bread at home'],
  ['a|b\\|c', 'a\\|b\\\\\\|c'],
  ['[x](y) <b> *z*', '\\[x\\](y) \\<b\\> \\*z\\*'],
  ['Free\u202e\u2066 course\u200b', 'Free course'],
  ['Pay at https://evil.example/x', '`Pay at https://evil.example/x`'],
  ['www.evil.example', '`www.evil.example`'],
  ['evil.example', '`evil.example`'],
  ['mailto:a@evil.example', '`mailto:a@evil.example`'],
  ['a@evil.example`|\\', '`a@evil.example   `'],
])('the prices show the title %j as text that is no markup and no link', async (title, shown) => {
  expect(await rowOf(title)).toBe(`| ${shown} | free |`)
})
