import { inWorkerd } from './in-workerd.ts'

export default inWorkerd('long:workers', '**/*.long.test.ts')
