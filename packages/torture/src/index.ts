export type { Operation, OperationKind, OperationResult } from './history/operation.ts'
