import { describeKills } from './describe-kills.ts'

describeKills(3)
