import { CHECK_IDS, type CheckId } from '../check-id.ts'
import { type Declared, IDEAL } from './declared.ts'
import type { Operation, OperationKind, OperationResult } from './operation.ts'

type Line = Readonly<Record<string, unknown>>

const KINDS: readonly OperationKind[] = [
  'approve',
  'deny',
  'redeem',
  'poll',
  'refresh',
  'exchange',
  'use',
  'introspect',
  'revoke',
  'logout',
]
const RESULTS: readonly OperationResult[] = ['ok', 'fail', 'info']
const ROTATIONS: readonly Declared['rotation'][] = ['strict', 'same-pair', 'overlap', 'none']
const TEXTS = ['replica', 'key', 'code', 'access', 'refresh', 'error', 'forbidden'] as const
const NUMBERS = ['status', 'skew', 'expiresIn'] as const

/** @throws Error with what is wrong with the line */
export function readOperation(line: Line, place: number): Operation {
  const [invoked, returned] = [required(line, 'invoked', 'number'), required(line, 'returned', 'number')]
  if (returned < invoked) throw new Error('"returned" is before "invoked".')
  return {
    id: optional(line, 'id', 'number') ?? place,
    process: required(line, 'process', 'string'),
    f: oneOf(line, 'f', KINDS),
    family: required(line, 'family', 'string'),
    result: oneOf(line, 'result', RESULTS),
    ...present(TEXTS, (name) => optional(line, name, 'string')),
    ...present(NUMBERS, (name) => optional(line, name, 'number')),
    ...present(['active'], (name) => optional(line, name, 'boolean')),
    ...(optional(line, 'forgotten', 'boolean') && { forgotten: true as const }),
    invoked,
    returned,
  }
}

export interface Header {
  readonly check?: CheckId
  readonly seed?: string
  readonly declared?: Declared
}

/** @throws Error with what is wrong with the line */
export function readHeader(line: Line): Header {
  if (line.history !== 1) throw new Error('"history" must be 1, the only version that this program reads.')
  const { declared } = line
  return {
    ...(line.check !== undefined && { check: oneOf(line, 'check', CHECK_IDS) }),
    ...present(['seed'], (name) => optional(line, name, 'string')),
    ...(declared !== undefined && { declared: readDeclared(declared) }),
  }
}

function readDeclared(value: unknown): Declared {
  if (typeof value !== 'object' || value === null) throw new Error('"declared" must be an object.')
  const line: Line = { ...value }
  const flags = ['replayEndsFamily', 'logoutEnds', 'codeReplayEndsFamily'] as const
  const seconds = [
    'overlapSeconds',
    'lateRepeatSeconds',
    'replacedSeconds',
    'clockSkewSeconds',
    'cacheSeconds',
  ] as const
  return {
    ...IDEAL,
    ...(line.rotation !== undefined && { rotation: oneOf(line, 'rotation', ROTATIONS) }),
    ...(line.revocationEnds !== undefined && {
      revocationEnds: oneOf(line, 'revocationEnds', ['token', 'family'] as const),
    }),
    ...present(flags, (name) => optional(line, name, 'boolean')),
    ...present(seconds, (name) => optional(line, name, 'number')),
  }
}

interface Types {
  readonly string: string
  readonly number: number
  readonly boolean: boolean
}

function optional<Type extends keyof Types>(line: Line, name: string, type: Type): Types[Type] | undefined {
  const value = line[name]
  if (value === undefined || value === null) return undefined
  // A number that is no finite number cannot be written as JSON.
  if (typeof value === type) return value as Types[Type]
  throw new Error(`"${name}" must be a ${type}.`)
}

function required<Type extends keyof Types>(line: Line, name: string, type: Type): Types[Type] {
  const value = optional(line, name, type)
  if (value === undefined) throw new Error(`"${name}" is missing.`)
  return value
}

function oneOf<Value extends string>(line: Line, name: string, values: readonly Value[]): Value {
  const value = values.find((known) => known === line[name])
  if (value === undefined) throw new Error(`"${name}" must be one of ${values.join(', ')}.`)
  return value
}

function present<Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value | undefined,
): { [name in Name]?: Value } {
  const entries = names.map((name) => [name, read(name)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as { [name in Name]?: Value }
}
