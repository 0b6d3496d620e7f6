import { Finding } from '../../generated/types';
import { Translate } from '../i18n/i18n';
import { Column, minor } from '../shared/data-table/column';
import { targetText } from '../shared/target.component';

/** The keys are those that the back end sorts by. */
export function findingColumns(t: Translate): readonly Column<Finding>[] {
  const plain = (
    key: 'id' | 'severity' | 'message' | 'first_seen' | 'last_seen',
    title: string,
  ): Column<Finding> => ({ key, title, value: (row) => row[key], sortable: true });
  return [
    plain('id', 'ID'),
    plain('severity', t('finding.severity')),
    {
      key: 'state',
      title: t('common.state'),
      value: (row) => row.state,
      text: (row) => t(`word.${row.state}`),
      sortable: true,
    },
    {
      key: 'target',
      title: t('finding.about'),
      value: (row) => targetText(row.target, t),
      sortable: true,
    },
    plain('message', t('finding.says')),
    plain('first_seen', t('finding.since')),
    minor(plain('last_seen', t('finding.last'))),
  ];
}
