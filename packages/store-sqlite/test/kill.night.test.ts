import { describeKills } from './describe-kills.ts'

describeKills(30)
