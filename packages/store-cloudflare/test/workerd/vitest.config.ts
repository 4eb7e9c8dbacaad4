import { inWorkerd } from './in-workerd.ts'

export default inWorkerd('workers', '**/*.test.ts', ['**/*.long.test.ts'])
