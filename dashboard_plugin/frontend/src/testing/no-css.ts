/** Stands for every style sheet: jsdom draws nothing. */
export default '';
