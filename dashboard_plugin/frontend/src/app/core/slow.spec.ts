import { LIMITS } from '../../testing/recorded';
import { isSlow } from './slow';

test.each([
  ['by a fifth, clearly', 80, -5.1, true],
  ['by a fifth, not clearly', 80, -4.6, false],
  ['by half, an outlier', 26, -4.6, true],
  ['by half, no outlier', 26, -3.4, false],
  ['nearly by half, an outlier', 55, -4.6, false],
  ['not measured', null, null, false],
])('%s', (_, percent_of_peers, robust_z, slow) => {
  expect(isSlow({ percent_of_peers, robust_z }, LIMITS)).toBe(slow);
});

test('nothing is called slow where the module does not tell its bounds', () => {
  expect(isSlow({ percent_of_peers: 1, robust_z: -99 }, undefined)).toBe(false);
});
