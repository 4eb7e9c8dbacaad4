import { expect, it } from 'vitest'
import { RecentlyUsed } from './recently-used.ts'

const kept = (values: RecentlyUsed<string>, names: readonly string[]) =>
  names.filter((name) => values.get(name) !== undefined)

it('the values that were used last are kept: what was read or set again, and no more than the maximum', () => {
  const values = new RecentlyUsed<string>(3)
  for (const name of ['a', 'b', 'c']) values.set(name, name)
  values.get('a')
  values.set('b', 'again')
  values.set('d', 'd')
  expect(kept(values, ['a', 'b', 'c', 'd'])).toEqual(['a', 'b', 'd'])
  expect(values.get('b')).toBe('again')
})

it('a value that was deleted takes no place, wherever it stood', () => {
  const names = ['a', 'b', 'c']
  for (const deleted of names) {
    const values = new RecentlyUsed<string>(3)
    for (const name of names) values.set(name, name)
    values.delete(deleted)
    values.delete(deleted)
    values.set('d', 'd')
    expect(kept(values, [...names, 'd'])).toEqual([...names, 'd'].filter((name) => name !== deleted))
    values.set('e', 'e')
    expect(kept(values, [...names, 'd', 'e'])).toHaveLength(3)
  }
})

it('a value that is larger than all may be together is not kept, and no other either', () => {
  const values = new RecentlyUsed<string>(3, { maxSize: 4, sizeOf: (value) => value.length })
  values.set('a', 'aa')
  values.set('b', 'bbbbb')
  expect(kept(values, ['a', 'b'])).toEqual([])
  values.set('c', 'cccc')
  values.set('c', 'c')
  values.set('d', 'ddd')
  expect(kept(values, ['c', 'd'])).toEqual(['c', 'd'])
})
