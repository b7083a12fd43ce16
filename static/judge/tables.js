"use strict";

// Somebody's table, in any usual writing, read into moves.  Nothing of it is sent anywhere.
// The command line, training/judging.py, reads only what this project itself writes.

const LARGEST = 64 << 20; // bytes of a file, or of what it unpacks to
const NAMED = 20; // rows that are named where they cannot be read
const CANONICAL = 20; // positions, no two of them images of each other, from which a rule is seen
const TOLD = 3; // positions from which a view of the values is seen
const DEEPEST = 60; // brackets in brackets
const CODES = 3 ** 9;
const EMPTY = new Set(["", " ", ".", "_", "-", "*", "#", "?", "E", "EMPTY", "B", "BLANK", "N", "NONE", "NULL"]);
const NOTHING = new Set(["", "nan", "none", "null", "-inf", "inf"]);
const BOARD_NAMES = ["board", "state", "position", "key", "s", "obs", "observation"];
const MOVE_NAMES = ["action", "move", "cell", "a"];
const VALUE_NAMES = ["value", "q", "v", "values", "q_value", "q_values", "qvalue", "qvalues"];
const TABLE_NAMES = ["q", "q_table", "qtable", "table", "policy", "q_values", "states"];
const NINE = /^(?:[012]{9}|[XxOo0._\- *#?bBeEnN]{9})$/;
const WITH_MOVE = /^(.{9})[\s,;:|/_-]+([0-9])$/;
const CALLS = /\b(?:np|numpy|torch|jnp)\.\w+|\b(?:array|tensor|tuple|list)\b|\bdtype=\w+/g;
const TOKENS = /"([^"]*)"|'([^']*)'|([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|([A-Za-z]+)|([._*#?-])/g;
const NUMBER = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
// How numbers stand for stones: empty, X, O; or empty, the player to move, the other side.
const SCHEMES = [
  ["0", "1", "-1"], ["0", "1", "2"], ["-1", "1", "0"], ["-1", "0", "1"], ["2", "0", "1"], ["2", "1", "0"],
];

class TableError extends Error {} // a table that cannot be read at all: the message says why
class Pairs extends Array {} // of a dict: its keys may be boards

// The game: its decisions by ply and base-3 number, as the code of the moves has them.  They are
// gone through when they are first asked for: a page that is only opened need not wait for that.

const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
const SYMMETRIES = (() => {
  const maps = [];
  for (const mirrored of [false, true]) {
    for (let turns = 0; turns < 4; turns += 1) {
      maps.push(Array.from({ length: 9 }, (_, cell) => {
        let [row, column] = [Math.floor(cell / 3), cell % 3];
        for (let turn = 0; turn < turns; turn += 1) [row, column] = [column, 2 - row];
        return 3 * row + (mirrored ? 2 - column : column);
      }));
    }
  }
  return maps;
})();

const codeOf = (stones) => stones.reduce((code, stone) => 3 * code + stone, 0);
const stonesOf = (code) => Array.from({ length: 9 }, (_, cell) => Math.floor(code / 3 ** (8 - cell)) % 3);
const counted = (number) => number.toLocaleString("en-US");

let enumerated;
const game = () => (enumerated ??= enumerate());

function enumerate() {
  const decisions = [];
  const finished = new Set();
  let ply = new Set([0]);
  for (let move = 0; move < 9; move += 1) {
    const after = new Set();
    for (const code of [...ply].sort((a, b) => a - b)) {
      const stones = stonesOf(code);
      decisions.push(stones);
      for (let cell = 0; cell < 9; cell += 1) {
        if (stones[cell]) continue;
        const next = stones.with?.(cell, 1 + move % 2) ?? Object.assign([...stones], { [cell]: 1 + move % 2 });
        const won = LINES.some(([i, j, k]) => next[i] && next[i] === next[j] && next[i] === next[k]);
        (won || move === 8 ? finished : after).add(codeOf(next));
      }
    }
    ply = after;
  }
  const numbers = new Map(decisions.map((stones, number) => [codeOf(stones), number]));
  const images = SYMMETRIES.map((cells) =>
    decisions.map((stones) => numbers.get(codeOf(cells.map((cell) => stones[cell])))));
  return {
    decisions,
    finished,
    numbers,
    images,
    legal: decisions.map((stones) => stones.map((stone) => stone === 0)),
    toMove: decisions.map((stones) => 1 + stones.filter(Boolean).length % 2),
    first: decisions.map((_, number) => images.every((image) => image[number] >= number)),
    klass: decisions.map((_, number) => Math.min(...images.map((image) => image[number]))),
    wins: decisions.map((stones) => {
      const own = 1 + stones.filter(Boolean).length % 2;
      return stones.map((stone, cell) =>
        stone === 0 && LINES.some((line) => line.includes(cell) && line.every((at) => at === cell || stones[at] === own)));
    }),
  };
}

// The code of the moves, as app/tictactoe/moves_code.py explains it.

function movesCode(choice) {
  const symmetric = SYMMETRIES.every((cells, which) => choice.every((moves, number) =>
    cells.every((cell, at) => choice[game().images[which][number]][at] === moves[cell])));
  const bits = [];
  choice.forEach((moves, number) => {
    if (symmetric && !game().first[number]) return;
    moves.forEach((played, cell) => { if (game().legal[number][cell]) bits.push(played); });
  });
  const bytes = new Uint8Array(Math.ceil(bits.length / 8));
  bits.forEach((bit, at) => { if (bit) bytes[at >> 3] |= 128 >> (at & 7); });
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

// JSON, or what Python prints of a dict, a list, a tuple or an array.  Nothing is ever evaluated.

const unescaped = (sign) =>
  sign.length > 1 ? String.fromCharCode(parseInt(sign.slice(1), 16)) : { n: "\n", r: "\r", t: "\t" }[sign] ?? sign;

class Reader {
  constructor(text) {
    this.text = text;
    this.token = /\s*(?:("(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*')|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([-+]?[A-Za-z_][\w.]*)|([\][(){},:=<>]))/y;
    this.next();
  }

  next() {
    const at = this.token.lastIndex;
    const found = this.token.exec(this.text);
    if (!found) {
      const rest = this.text.slice(at).trimStart();
      this.at = this.text.length - rest.length;
      if (rest) throw this.fault();
      [this.kind, this.value] = ["", ""];
      this.token.lastIndex = this.text.length;
      return;
    }
    this.at = this.token.lastIndex;
    const which = found.findIndex((part, index) => index > 0 && part !== undefined);
    [this.kind, this.value] = [["", "text", "number", "word", "sign"][which], found[which]];
  }

  fault() {
    const line = this.text.slice(0, this.at).split("\n").length;
    return new TableError(`line ${line}: this is neither JSON nor a dict or list of Python`);
  }

  whole() {
    const value = this.read(0);
    if (this.kind) throw this.fault();
    return value;
  }

  is(sign) {
    return this.kind === "sign" && this.value === sign;
  }

  read(depth) {
    const { kind, value } = this;
    if (depth > DEEPEST) throw new TableError(`there are more than ${DEEPEST} brackets in brackets`);
    if (!kind) throw this.fault();
    this.next();
    if (kind === "text") return value.slice(1, -1).replace(/\\(u[0-9a-fA-F]{4}|[^])/g, (_, sign) => unescaped(sign));
    if (kind === "number") return Number(value);
    if (kind === "word") return this.is("(") ? this.argument(depth) : null;
    if (value === "[") return this.items("]", depth);
    if (value === "(") return this.items(")", depth);
    if (value === "{") return this.pairs(depth);
    throw this.fault();
  }

  argument(depth) {
    this.next();
    return this.items(")", depth, true).reverse().find((item) => item !== null) ?? null;
  }

  items(end, depth, named = false) {
    const items = [];
    while (!this.is(end)) {
      if (named && this.is("<")) {
        while (!this.is(">") && this.kind) this.next();
        this.next();
      } else {
        items.push(this.read(depth + 1));
      }
      if (named && this.is("=")) {
        this.next();
        this.read(depth + 1);
        items.pop();
      }
      this.comma(end);
    }
    this.next();
    return items;
  }

  pairs(depth) {
    const pairs = new Pairs();
    while (!this.is("}")) {
      const key = this.read(depth + 1);
      if (!this.is(":")) throw this.fault();
      this.next();
      pairs.push([key, this.read(depth + 1)]);
      this.comma("}");
    }
    this.next();
    return pairs;
  }

  comma(end) {
    if (this.is(",")) this.next();
    else if (!this.is(end)) throw this.fault();
  }
}

// Rows of a file: { name, board, value, move, quiet }.  A quiet one is of an array by base-3 number.

function literalRows(value) {
  if (value instanceof Pairs) {
    const named = new Map(value.filter(([key]) => typeof key === "string").map(([key, inner]) => [key.toLowerCase(), inner]));
    for (const name of TABLE_NAMES) if (Array.isArray(named.get(name))) return literalRows(named.get(name));
    const bySeat = value.length && named.size === value.length && [...named.keys()].every((key) => key === "x" || key === "o");
    if (bySeat) return [...named.values()].flatMap(literalRows);
    return value.map(([key, inner], at) => ({ name: `entry ${at + 1} (${short(key)})`, board: key, value: inner, move: null }));
  }
  if (!Array.isArray(value) || !value.length) throw new TableError("this is no table: neither an object nor a list");
  if (value.length === CODES) {
    return value.map((inner, code) => ({ name: `row ${code}`, board: code, value: inner, move: null, quiet: true }));
  }
  return value.map((item, at) => itemRow(`entry ${at + 1}`, item));
}

const firstOf = (named, names) => {
  const name = names.find((one) => named.has(one));
  return name === undefined ? null : named.get(name);
};

function namedRow(name, named, move = firstOf(named, MOVE_NAMES)) {
  const value = firstOf(named, VALUE_NAMES);
  const board = firstOf(named, BOARD_NAMES);
  return value === null ? { name, board, value: move, move: null } : { name, board, value, move };
}

function itemRow(name, item) {
  if (item instanceof Pairs) {
    return namedRow(name, new Map(item.map(([key, inner]) => [String(key).toLowerCase(), inner])));
  }
  if (Array.isArray(item) && item.length === 2) return { name, board: item[0], value: item[1], move: null };
  if (Array.isArray(item) && item.length === 3) return { name, board: item[0], value: item[2], move: item[1] };
  return { name, board: null, value: null, move: null };
}

// The cells of each line, quoted as in CSV.
function csvLines(text, delimiter) {
  const lines = [];
  let [cells, cell, quoted, wasQuoted] = [[], "", false, false];
  for (let at = 0; at <= text.length; at += 1) {
    const sign = text[at];
    if (quoted && sign !== undefined) {
      if (sign !== '"') cell += sign;
      else if (text[at + 1] === '"') { cell += '"'; at += 1; } else quoted = false;
    } else if (sign === '"' && cell === "" && !wasQuoted) {
      [quoted, wasQuoted] = [true, true];
    } else if (sign === delimiter || sign === "\n" || sign === undefined) {
      cells.push(cell);
      [cell, wasQuoted] = ["", false];
      if (sign !== delimiter) { lines.push(cells); cells = []; }
    } else {
      cell += sign;
    }
  }
  return lines;
}

function csvRows(given) {
  const text = given.replace(/\r\n?/g, "\n");
  const first = text.trimStart().split("\n", 1)[0];
  const delimiter = first.includes("\t") ? "\t" : first.includes(";") ? ";" : ",";
  const lines = csvLines(text, delimiter)
    .map((cells, at) => [`line ${at + 1}`, cells])
    .filter(([, cells]) => cells.some((cell) => cell.trim()));
  if (!lines.length) throw new TableError("there is nothing in it");
  const heading = lines[0][1].map((cell) => cell.trim().toLowerCase());
  if (heading.some((name) => [...BOARD_NAMES, ...MOVE_NAMES, ...VALUE_NAMES].includes(name))) {
    return lines.slice(1).map(([name, cells]) => headedRow(name, heading, cells));
  }
  const isShort = lines.every(([, cells]) => cells.slice(0, 9).every((cell) => cell.trim().length <= 2));
  return lines.map(([name, cells]) => unheadedRow(name, cells, isShort));
}

function headedRow(name, heading, cells) {
  const named = new Map();
  heading.slice(0, cells.length).forEach((key, at) => named.set(key, cells[at]));
  let move = firstOf(named, MOVE_NAMES);
  if (move === null && named.has("row")) move = [named.get("row"), named.get("column") ?? named.get("col") ?? ""];
  if (move === null && firstOf(named, VALUE_NAMES) === null) {
    const rest = cells.filter((_, at) => /[0-8]$/.test(heading[at] ?? ""));
    return { name, board: firstOf(named, BOARD_NAMES), value: rest, move: null };
  }
  return namedRow(name, named, move);
}

function unheadedRow(name, cells, isShort) {
  const alone = (some) => (some.length > 1 ? some : some[0] ?? null);
  const row = (board, value, move = []) => ({ name, board: alone(board), value: alone(value), move: alone(move) });
  switch (cells.length) {
    case 2: return row(cells.slice(0, 1), cells.slice(1));
    case 3: return row(cells.slice(0, 1), cells.slice(2), cells.slice(1, 2));
    case 4: return row(cells.slice(0, 1), cells.slice(3), cells.slice(1, 3));
    case 10: return isShort ? row(cells.slice(0, 9), cells.slice(9)) : row(cells.slice(0, 1), cells.slice(1));
    case 11: return row(cells.slice(0, 9), cells.slice(10), cells.slice(9, 10));
    case 18: return row(cells.slice(0, 9), cells.slice(9));
    default: return row([], []);
  }
}

// An npz is a zip of npy files: the directory at its end says where each begins.

async function npzRows(content) {
  let array;
  try {
    array = await npzArray(content);
  } catch (error) {
    if (error instanceof TableError) throw error;
    throw new TableError(`this npz cannot be read: ${error.message}`);
  }
  if (!array) throw new TableError("this npz is empty");
  const [rows, columns] = array.shape;
  const shape = array.shape.length === 2 && columns === 9 ? rows : 0;
  if (shape !== game().decisions.length && shape !== CODES) {
    throw new TableError(`the array is [${array.shape.join(", ")}], not [4520, 9] or [19683, 9]`);
  }
  return Array.from({ length: rows }, (_, number) => ({
    name: `row ${number}`,
    board: rows === CODES ? number : codeOf(game().decisions[number]),
    value: Array.from({ length: 9 }, (_, cell) => {
      const value = array.at(number, cell);
      return Number.isFinite(value) ? value : null;
    }),
    move: null,
    quiet: true,
  }));
}

async function npzArray(content) {
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  let end = content.length - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end -= 1;
  if (end < 0) throw new Error("its directory is missing");
  const members = [];
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left -= 1) {
    const [name, extra, comment] = [28, 30, 32].map((offset) => view.getUint16(at + offset, true));
    members.push({
      name: new TextDecoder().decode(content.subarray(at + 46, at + 46 + name)),
      method: view.getUint16(at + 10, true),
      packed: view.getUint32(at + 20, true),
      size: view.getUint32(at + 24, true),
      start: view.getUint32(at + 42, true),
    });
    at += 46 + name + extra + comment;
  }
  const member = members.find(({ name }) => name === "q.npy") ?? members.sort((a, b) => (a.name < b.name ? -1 : 1))[0];
  if (!member) return null;
  if (member.size > LARGEST) throw new Error("it unpacks to more than 64 MB");
  const begin = member.start + 30 + view.getUint16(member.start + 26, true) + view.getUint16(member.start + 28, true);
  let bytes = content.subarray(begin, begin + member.packed);
  if (member.method === 8) bytes = await unpacked(bytes, member.size);
  else if (member.method !== 0) throw new Error("it is packed in a way that numpy does not use");
  return npyArray(bytes);
}

async function unpacked(bytes, size) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const whole = new Uint8Array(size);
  let filled = 0;
  for (const reader = stream.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (filled + value.length > size) throw new Error("it unpacks to more than it says");
    whole.set(value, filled);
    filled += value.length;
  }
  return whole.subarray(0, filled);
}

function npyArray(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(0) !== 0x934e554d) throw new Error("an array in it is none of numpy");
  const wide = bytes[6] > 1;
  const start = (wide ? 12 : 10) + (wide ? view.getUint32(8, true) : view.getUint16(8, true));
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, start));
  const kind = /'descr': '([^']*)'/.exec(head)?.[1] ?? "";
  const shape = /'shape': \(([^)]*)\)/.exec(head)[1].split(",").filter((part) => part.trim()).map(Number);
  const read = {
    "<f4": [4, "getFloat32"], "<f8": [8, "getFloat64"], "<i4": [4, "getInt32"], "<i8": [8, "getBigInt64"],
    "|i1": [1, "getInt8"], "|u1": [1, "getUint8"], "|b1": [1, "getUint8"],
  }[kind];
  if (!read) throw new Error(`an array in it holds ${kind || "no numbers"}`);
  const byColumn = head.includes("'fortran_order': True");
  const [size, method] = read;
  const at = (row, column) => Number(view[method](start + size * (byColumn ? column * shape[0] + row : row * shape[1] + column), true));
  return { shape, at };
}

// What stands in a row.

const flat = (value) => value.flatMap((item) => (Array.isArray(item) ? flat(item) : [item]));

function numberOf(item) {
  if (typeof item === "string") {
    if (!NUMBER.test(item.trim())) return null;
    item = Number(item.trim());
  }
  return typeof item === "number" && Math.abs(item) < 1e300 ? item : null;
}

function tokenOf(item) {
  const number = numberOf(item);
  if (number !== null && Number.isInteger(number)) return String(number === 0 ? 0 : number);
  const text = item === null ? "" : String(item).trim().toUpperCase();
  return EMPTY.has(text) ? "." : text;
}

// The nine tokens of a board, whether they are a base-3 number, and what stands beside it.
function boardTokens(board) {
  if (Array.isArray(board)) return tokensOfList(board);
  if (typeof board === "string") return tokensOfText(board);
  const code = numberOf(board);
  if (code === null || !Number.isInteger(code) || code < 0 || code >= CODES) return null;
  return { tokens: stonesOf(code).map(String), isCode: true, more: [] };
}

function tokensOfText(board) {
  const plain = board.replace(/[|/\r\n]/g, "");
  const nine = [board, plain, plain.trim()].find((text) => NINE.test(text));
  if (nine !== undefined) return { tokens: [...nine].map(tokenOf), isCode: false, more: [] };
  if (/^\d{1,5}(\.0)?$/.test(board.trim())) return boardTokens(Number(board));
  const beside = WITH_MOVE.exec(board.trim());
  if (beside && NINE.test(beside[1])) return { tokens: [...beside[1]].map(tokenOf), isCode: false, more: [Number(beside[2])] };
  const parts = [...board.replace(CALLS, "").matchAll(TOKENS)].map((found) => found.slice(1).join(""));
  return parts.length > 1 ? tokensOfList(parts) : null;
}

function tokensOfList(board) {
  const items = flat(board);
  if (items.length >= 9 && items.length <= 11) {
    return { tokens: items.slice(0, 9).map(tokenOf), isCode: false, more: items.slice(9) };
  }
  if (items.length < 2 || items.length > 3) return null;
  const inner = boardTokens(items[0]);
  return inner && !inner.more.length ? { ...inner, more: items.slice(1) } : null;
}

function numbersOf(given) {
  const cells = new Map();
  for (const [cell, item] of given) {
    const number = numberOf(item);
    if (number !== null) cells.set(cell, number);
    else if (item !== null && !NOTHING.has(String(item).trim().toLowerCase())) throw new TableError(`${short(item)} is no number`);
  }
  return cells;
}

function moveNumbers(move) {
  let numbers;
  if (typeof move === "string") {
    const text = move.replace(CALLS, "");
    if (/[-a-zA-Z]/.test(text)) return [];
    numbers = (text.match(/\d+(?:\.\d*)?/g) ?? []).map(Number);
  } else {
    numbers = (Array.isArray(move) ? flat(move) : [move]).map(numberOf);
  }
  const right = numbers.length >= 1 && numbers.length <= 2 && numbers.every((number) => Number.isInteger(number) && number >= 0);
  return right ? numbers : [];
}

function cellOf(move, fromOne) {
  const numbers = moveNumbers(move).map((number) => number - fromOne);
  if (numbers.length === 1 && numbers[0] >= 0 && numbers[0] <= 8) return numbers[0];
  if (numbers.length === 2 && numbers.every((number) => number >= 0 && number <= 2)) return 3 * numbers[0] + numbers[1];
  return null;
}

function written(item) {
  if (Array.isArray(item)) return `[${item.map(written).join(", ")}]`;
  return item === null || item === undefined ? "nothing" : String(item);
}

function short(item) {
  const text = typeof item === "string" ? item : written(item);
  return text.length <= 40 ? text : `${text.slice(0, 39)}…`;
}

// One table.

class Table {
  constructor(options) {
    this.options = { boards: "auto", digits: "auto", view: "auto", ties: "any", missing: "auto", ...options };
    this.notes = [];
    this.faults = new Map();
  }

  read(rows) {
    this.rows = rows;
    const boards = rows.flatMap((row) => {
      const taken = boardTokens(row.board);
      if (taken) return [{ row, ...taken }];
      this.fault(row, "this is no board");
      return [];
    });
    if (!boards.length) throw new TableError(`no board was found in it${this.firstFault()}`);
    this.findScheme(boards);
    this.findDigits(boards);
    this.readValues(boards);
    if (!this.found.includes(true)) throw new TableError(`no position that is to be played in was found${this.firstFault()}`);
    if (this.valued) this.turnValues();
    const choice = this.choose();
    const unread = rows.filter(({ name }) => this.faults.has(name)).map(({ name }) => `${name}: ${this.faults.get(name)}`);
    const read = this.found.filter(Boolean).length;
    const not = unread.length ? ` ${counted(unread.length)} could not be read.` : "";
    return {
      moves: movesCode(choice),
      summary: `Read: ${counted(read)} of ${counted(game().decisions.length)} positions.${not}`,
      notes: this.notes,
      unread: unread.slice(0, NAMED),
      values: this.valued ? this.q : null,
    };
  }

  fault(row, what) {
    if (!row.quiet) this.faults.set(row.name, what);
  }

  firstFault() {
    const row = this.rows.find(({ name }) => this.faults.has(name));
    return row ? `: ${row.name}: ${this.faults.get(row.name)}` : "";
  }

  findScheme(boards) {
    const used = new Set(boards.flatMap(({ tokens }) => tokens));
    const options = [];
    if (used.has("X") || used.has("O")) {
      const zero = used.has("0") && !used.has("O") && used.has(".") ? 2 : 0;
      const blank = [...[...used].filter((token) => /^(-?\d+|\.)$/.test(token)).map((token) => [token, 0]), ["0", zero]];
      options.push([new Map([...blank, ["X", 1], ["O", 2]]), false, "Boards: X and O, and X begins."]);
      options.push([new Map([...blank, ["X", 2], ["O", 1]]), false, "Boards: X and O, and O begins: it counts as X."]);
    } else {
      for (const own of [false, true]) {
        for (const [empty, one, other] of SCHEMES) {
          if (![...used].every((token) => [empty, one, other, "."].includes(token)) || (own && one !== "1")) continue;
          if (own ? this.options.boards === "x" : this.options.boards === "mover") continue;
          const [isOne, isOther] = own ? ["the player to move", "the other side"] : ["X", "O"];
          const note = `Boards: ${one} is ${isOne}, ${other} is ${isOther}, ${empty} is empty.`;
          options.push([new Map([[empty, 0], [".", 0], [one, 1], [other, 2]]), own, note]);
        }
      }
    }
    if (!options.length) {
      const strange = [...used].sort().slice(0, 8).join(", ");
      throw new TableError(`what stands for X, O and empty cannot be told: there are ${strange}`);
    }
    const fitting = options.map(([scheme, own]) => {
      [this.map, this.own, this.reverse] = [scheme, own, false];
      return boards.filter((board) => this.codeOf(board) !== null).length;
    });
    [this.map, this.own] = options[fitting.indexOf(Math.max(...fitting))];
    this.notes.push(options[fitting.indexOf(Math.max(...fitting))][2]);
  }

  // The base-3 number of a board, null if no game comes to it.
  codeOf({ tokens, isCode }) {
    let stones = tokens.map((token) => this.map.get(token) ?? 0);
    if (this.reverse && isCode) stones.reverse();
    const [mine, theirs] = [1, 2].map((which) => stones.filter((stone) => stone === which).length);
    if (this.own && mine > theirs) return null;
    if (this.own && mine < theirs) stones = stones.map((stone) => [0, 2, 1][stone]);
    const code = codeOf(stones);
    return game().numbers.has(code) || game().finished.has(code) ? code : null;
  }

  findDigits(boards) {
    this.reverse = false;
    const coded = boards.filter(({ isCode }) => isCode);
    if (!coded.length) return;
    let reverse = this.options.digits === "last";
    if (this.options.digits === "auto") {
      const taken = [false, true].map((way) => {
        this.reverse = way;
        return coded.filter((board) => this.playsTaken(board)).length;
      });
      reverse = taken[1] < taken[0];
    }
    this.reverse = reverse;
    this.notes.push(`Base-3 numbers: the top left square is the ${reverse ? "last" : "first"} digit.`);
  }

  playsTaken(board) {
    const number = game().numbers.get(this.codeOf(board));
    if (number === undefined) return false;
    const { value } = board.row;
    const legal = game().legal[number];
    if (Array.isArray(value) && !(value instanceof Pairs)) {
      const given = flat(value).map((item) => numberOf(item) !== null);
      return given.length === 9 && !given.every(Boolean) && given.some((there, cell) => there !== legal[cell]);
    }
    const moves = value instanceof Pairs ? value.map(([key]) => key) : [this.moveBeside(board)];
    return moves.map((move) => cellOf(move, 0)).some((cell) => cell !== null && !legal[cell]);
  }

  moveBeside({ row, more }) {
    if (row.move !== null) return row.move;
    if (more.length) return more.length > 1 ? more : more[0];
    return row.value;
  }

  readValues(boards) {
    const fromOne = this.countsFromOne(boards) ? 1 : 0;
    this.q = game().decisions.map(() => Array(9).fill(NaN));
    this.found = game().decisions.map(() => false);
    this.valued = false;
    let finished = 0;
    for (const board of boards) {
      const code = this.codeOf(board);
      if (code === null) {
        this.fault(board.row, "no game comes to this board");
        continue;
      }
      const number = game().numbers.get(code);
      if (number === undefined) {
        finished += 1;
        continue;
      }
      let read;
      try {
        read = this.cells(board, game().legal[number], fromOne);
      } catch (error) {
        if (!(error instanceof TableError)) throw error;
        this.fault(board.row, error.message);
        continue;
      }
      for (const [cell, value] of read.cells) {
        if (!game().legal[number][cell]) continue;
        this.q[number][cell] = value;
        this.found[number] = true;
      }
      this.valued ||= read.valued;
    }
    if (fromOne) this.notes.push("Moves are counted from 1.");
    if (finished) this.notes.push(`Finished games, left out: ${counted(finished)}.`);
  }

  countsFromOne(boards) {
    const [single, double] = [new Set(), new Set()];
    for (const board of boards) {
      const { value } = board.row;
      let moves;
      if (value instanceof Pairs) moves = value.map(([key]) => key);
      else if (Array.isArray(value) && flat(value).length !== 2) continue;
      else moves = [this.moveBeside(board)];
      for (const move of moves) {
        const numbers = moveNumbers(move);
        for (const number of numbers) (numbers.length === 1 ? single : double).add(number);
      }
    }
    return (single.has(9) && !single.has(0)) || (double.has(3) && !double.has(0));
  }

  cells(board, legal, fromOne) {
    const { value, move } = board.row;
    const checked = (one) => {
      const cell = cellOf(one, fromOne);
      if (cell === null) throw new TableError(`${short(one)} is no move`);
      return cell;
    };
    if (value instanceof Pairs) return { cells: numbersOf(value.map(([key, item]) => [checked(key), item])), valued: true };
    if (Array.isArray(value)) {
      const items = flat(value);
      if (items.length === 9) return { cells: numbersOf([...items.entries()]), valued: true };
      const empty = legal.flatMap((free, cell) => (free ? [cell] : []));
      if (items.length === empty.length && !(items.length === 2 && cellOf(items, fromOne) !== null)) {
        return { cells: numbersOf(items.map((item, at) => [empty[at], item])), valued: true };
      }
      if (items.length !== 2) throw new TableError(`it has ${items.length} values, not 9`);
    } else if (value === null) {
      return { cells: new Map(), valued: false };
    } else if (move !== null || board.more.length) {
      return { cells: numbersOf([[checked(this.moveBeside(board)), value]]), valued: true };
    }
    const cell = checked(value);
    if (!legal[cell]) throw new TableError("the move is on a taken square");
    return { cells: new Map([[cell, 1]]), valued: false };
  }

  turnValues() {
    let { view } = this.options;
    let told = "";
    if (view === "auto") {
      let [asBest, asWorst] = [0, 0];
      game().decisions.forEach((_, number) => {
        if (game().toMove[number] !== 2) return;
        const known = this.q[number].filter((value) => !Number.isNaN(value));
        const [best, worst] = [Math.max(...known), Math.min(...known)];
        if (!(best > worst)) return;
        const winning = this.q[number].filter((_, cell) => game().wins[number][cell]);
        asBest += winning.includes(best);
        asWorst += winning.includes(worst);
      });
      view = asWorst > Math.max(asBest, TOLD - 1) ? "x" : "mover";
      if (view === "x") {
        told = ` Where O can win at once it has the lowest value in ${counted(asWorst)} positions, the highest in ${counted(asBest)}.`;
      }
    }
    const whom = view === "x" ? "X: O plays the lowest" : "the player to move";
    this.notes.push(`A high value is good for ${whom}.${told}`);
    if (view === "x") this.q = this.q.map((row, number) => (game().toMove[number] === 2 ? row.map((value) => -value) : row));
  }

  choose() {
    let several = 0;
    const onlyFirst = (moves) => moves.map((played, cell) => played && moves.indexOf(true) === cell);
    const choice = this.q.map((row, number) => {
      const known = row.filter((value) => !Number.isNaN(value));
      const best = Math.max(...known);
      const moves = row.map((value, cell) => value === best && game().legal[number][cell]);
      several += moves.filter(Boolean).length > 1;
      return this.options.ties === "first" ? onlyFirst(moves) : moves;
    });
    if (several && this.valued) {
      const which = this.options.ties === "first" ? "the first of them" : "any of them";
      this.notes.push(`Equal highest values in ${counted(several)} positions: it plays ${which}.`);
    }
    let rule = this.options.missing;
    if (rule === "auto") {
      const there = game().klass.filter((_, number) => this.found[number]);
      rule = there.length >= CANONICAL && new Set(there).size === there.length ? "image" : "any";
    }
    const missing = this.found.map((there) => !there);
    let copied = 0;
    if (rule === "image") {
      SYMMETRIES.forEach((cells, which) => {
        game().images[which].forEach((image, number) => {
          if (!this.found[number] || !missing[image]) return;
          choice[image] = cells.map((cell) => choice[number][cell]);
          missing[image] = false;
          copied += 1;
        });
      });
    }
    const left = missing.filter(Boolean).length;
    missing.forEach((gone, number) => {
      if (gone) choice[number] = rule === "first" ? onlyFirst(game().legal[number]) : game().legal[number];
    });
    if (copied) this.notes.push(`Copied from a symmetric position that the table has: ${counted(copied)} positions.`);
    if (left) {
      const what = rule === "first" ? "the first empty square" : "any empty square";
      this.notes.push(`Missing: ${counted(left)} positions. There it plays ${what}.`);
    }
    return choice;
  }
}

// Reads the bytes of a file: { moves, summary, notes, unread, values }, of which the values are nine
// for each decision, NaN where there is none, in the view of the player to move; null if the table has
// only moves.  Throws a TableError.
async function readTable(content, options = {}) {
  if (content.length > LARGEST) throw new TableError("the file is larger than 64 MB");
  const begins = (...bytes) => bytes.every((byte, at) => content[at] === byte);
  if (begins(0x50, 0x4b, 3, 4)) return new Table(options).read(await npzRows(content));
  if (begins(0x80) || begins(0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59)) {
    throw new TableError("this is a pickle or npy file: of these only an npz is read, no pickle ever");
  }
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new TableError("the file is no text in UTF-8");
  }
  const isLiteral = /^\s*([{[(]|(defaultdict|OrderedDict|dict|array)\b)/.test(text);
  return new Table(options).read(isLiteral ? literalRows(new Reader(text).whole()) : csvRows(text));
}

// The page asks this script, as a worker, and is told what readTable returns, or why it cannot: the
// values by the stones of each decision's board, in reading order.
onmessage = async ({ data: [content, options] }) => {
  try {
    const { values, ...read } = await readTable(content, options);
    const byStones = values && new Map(game().decisions.map((stones, number) => [stones.join(""), values[number]]));
    postMessage({ ...read, values: byStones });
  } catch (error) {
    postMessage({ refused: error.message });
    if (!(error instanceof TableError)) throw error;
  }
};
