import { describe, expect, it } from 'vitest'
import { errorsAs503, kindOfError, storeErrorsAs503 } from './errors-as-503.ts'

const OUTAGE = Object.assign(new Error('the connection was refused'), { code: 'ECONNREFUSED' })
const BUG = Object.assign(new Error('duplicate key'), { code: '23505' })
const UNKNOWN = new Error('The client is closed')

const ofRows = (error: unknown) => errorsAs503({ find: () => Promise.reject(error) }).find()
const ofStore = (error: unknown) => storeErrorsAs503({ find: () => Promise.reject(error) }).find()

it.each([
  ['the database', ofRows, OUTAGE],
  ['the store', ofStore, OUTAGE],
  ['a store with a driver of its own', ofStore, UNKNOWN],
])('an outage of %s is a 503 with its cause', async (_, failing, cause) => {
  await expect(failing(cause)).rejects.toMatchObject({ reason: 'store_unavailable', cause })
})

it.each([
  ['the database', ofRows, BUG],
  ['the database without a code', ofRows, UNKNOWN],
  ['the store', ofStore, BUG],
])('any other error of %s is unchanged', async (_, failing, error) => {
  await expect(failing(error)).rejects.toBe(error)
})

const error = (message: string, more = {}) => Object.assign(new Error(message), more)
const sqlite = (errcode: number) => error('failed', { code: 'ERR_SQLITE_ERROR', errcode })
const withCode = (code: string) => error('failed', { code })

describe('an outage', () => {
  it.each<readonly [string, unknown]>([
    ['SQLITE_BUSY', sqlite(5)],
    ['SQLITE_BUSY_SNAPSHOT', sqlite(517)],
    ['SQLITE_LOCKED', sqlite(6)],
    ['SQLITE_READONLY', sqlite(8)],
    ['SQLITE_IOERR_WRITE', sqlite(778)],
    ['SQLITE_CORRUPT', sqlite(11)],
    ['SQLITE_FULL', sqlite(13)],
    ['SQLITE_CANTOPEN', sqlite(14)],
    ...['08006', '08P01', '28P01', '3D000', '53100', '53300', '57014', '57P01', '58030'].map(byCode),
    ...['55000', '25006', '55P03', '40001', '40P01'].map(byCode),
    ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'EAI_AGAIN', 'ETIMEDOUT'].map(byCode),
    ['several addresses', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })],
    ['a silent Postgres', error('no answer', { name: 'NoAnswerError' })],
    ['a silent Redis', error('no reply', { name: 'NoReplyError' })],
    ['a broken connection', error('Connection terminated unexpectedly')],
    ['a server that has become a replica', error('this server takes no writes; it may be a replica')],
    ['a full pool', error('timeout exceeded when trying to connect')],
  ])('is %s', (_, outage) => {
    expect(kindOfError(outage)).toBe('outage')
  })
})

describe('a bug', () => {
  it.each<readonly [string, unknown]>([
    ['SQLITE_ERROR, as of a syntax error', sqlite(1)],
    ['SQLITE_CONSTRAINT_UNIQUE', sqlite(2067)],
    ['SQLITE_MISMATCH', sqlite(20)],
    ['SQLITE_MISUSE', sqlite(21)],
    ...['22021', '23505', '23502', '25P02', '42601', '42P01', '42501', 'P0001', 'XX000'].map(byCode),
    ['a fault of the program', new TypeError('rows is undefined')],
    ['a wrong argument', Object.assign(new TypeError('no'), { code: 'ERR_INVALID_ARG_TYPE' })],
    ['a command on a key of another type', error('WRONGTYPE Operation against a key')],
    ['a wrong command', error("ERR wrong number of arguments for 'get' command")],
    ['no error', 'text'],
  ])('is %s', (_, bug) => {
    expect(kindOfError(bug)).toBe('bug')
  })
})

it.each([
  'The client is closed',
  'OOM command not allowed when used memory > maxmemory',
  'READONLY You cannot write against a read only replica.',
  'ERR max number of clients reached',
  'no result',
])('"%s" is neither without its driver', (message) => {
  expect(kindOfError(new Error(message))).toBeUndefined()
})

it('a fetch that reached nobody is no bug', () => {
  expect(kindOfError(new TypeError('fetch failed', { cause: withCode('ECONNREFUSED') }))).toBeUndefined()
})

function byCode(code: string) {
  return [code, withCode(code)] as const
}
