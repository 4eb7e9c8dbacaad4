export {
  type NewStorage,
  newStorage,
  type StorageKind,
  storageUnderTest,
} from '@grantkit/test-servers/new-storage'
