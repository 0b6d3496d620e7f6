import { Finding } from '../../generated/types';
import { Column, minor } from '../shared/data-table/column';
import { targetText } from '../shared/target.component';
import { TEXTS } from '../shared/words';

/** The keys are those that the back end sorts by. */
export function findingColumns(): readonly Column<Finding>[] {
  const plain = (
    key: 'id' | 'severity' | 'message' | 'first_seen' | 'last_seen',
    title: string,
  ): Column<Finding> => ({ key, title, value: (row) => row[key], sortable: true });
  return [
    plain('id', 'ID'),
    plain('severity', 'Severity'),
    {
      key: 'state',
      title: 'State',
      value: (row) => row.state,
      text: (row) => TEXTS[`word.${row.state}`],
      sortable: true,
    },
    {
      key: 'target',
      title: 'Target',
      value: (row) => targetText(row.target),
      sortable: true,
    },
    plain('message', 'Problem'),
    plain('first_seen', 'Since'),
    minor(plain('last_seen', 'Last seen')),
  ];
}
