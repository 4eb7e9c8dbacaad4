import { expect, it } from 'vitest'
import { isReadOnly, named } from './read-only.ts'

it.each([
  [{ read_only: 0, innodb_read_only: 0 }, false],
  [{ read_only: 'OFF', innodb_read_only: 'OFF' }, false],
  [{ read_only: 1, innodb_read_only: 0 }, true],
  [{ read_only: 'NO_LOCK', innodb_read_only: 0 }, true],
  [{ read_only: 0, innodb_read_only: 1 }, true],
  [undefined, false],
])('the row %j comes from a read-only server: %s', (row, readOnly) => {
  expect(isReadOnly(row)).toBe(readOnly)
})

it.each([1290, 1792, 1836, 1036])('error %d of a write says that the server is read-only', (errno) => {
  expect(named(Object.assign(new Error('refused'), { errno }))).toMatchObject({ name: 'ReadOnlyServerError' })
})
