/// Which form of a counted text a language uses for a number: the header `Plural-Forms` of a catalogue (GNU gettext
/// manual, "Additional functions for plural forms"), a C expression in which `n` is the number.
struct PluralRule: Sendable {
    /// Two forms, one for exactly 1: the rule of English, and of a catalogue without one.
    static let germanic = PluralRule(
        formCount: 2, expression: .binary(.notEqual, .number, .constant(1)))

    /// Bytes. The longest rule of gettext's list, Arabic, has 130.
    private static let maximumLength = 1000
    /// Nested parentheses and signs. The rules of gettext's list need 5.
    private static let maximumDepth = 50
    /// Arabic has 6.
    private static let maximumFormCount = 20

    private let formCount: Int
    private let expression: Expression

    private init(formCount: Int, expression: Expression) {
        self.formCount = formCount
        self.expression = expression
    }

    /// Reads `nplurals=3; plural=n%10==1 ? 0 : 1;`.
    ///
    /// - Returns: `nil` if the text is not such a rule.
    init?(_ text: some StringProtocol) {
        var fields: [String: Substring] = [:]
        for part in text.split(separator: ";") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { continue }
            fields[String(pair[0].filter { !$0.isWhitespace })] = Substring(pair[1])
        }
        guard let count = fields["nplurals"].flatMap({ Int($0.filter { !$0.isWhitespace }) }),
            (1...Self.maximumFormCount).contains(count),
            let formula = fields["plural"], formula.utf8.count <= Self.maximumLength
        else { return nil }
        var parser = Parser(text: Array(formula.utf8.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }))
        guard let expression = parser.conditional(depth: Self.maximumDepth), parser.isAtEnd else { return nil }
        self.init(formCount: count, expression: expression)
    }

    /// The index of the form, less than the number of forms; `nil` if the rule gives none for this number.
    func form(for count: Int) -> Int? {
        guard let value = expression.value(for: Int(clamping: count.magnitude)), (0..<formCount).contains(value)
        else { return nil }
        return value
    }
}

extension PluralRule {
    private enum Operator: String, CaseIterable, Sendable {
        case or = "||"
        case and = "&&"
        case equal = "=="
        case notEqual = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case less = "<"
        case greater = ">"
        case plus = "+"
        case minus = "-"
        case times = "*"
        case divided = "/"
        case remainder = "%"

        /// As in C: an operator of a higher level binds more tightly.
        var level: Int {
            switch self {
            case .or: 0
            case .and: 1
            case .equal, .notEqual: 2
            case .lessOrEqual, .greaterOrEqual, .less, .greater: 3
            case .plus, .minus: 4
            case .times, .divided, .remainder: 5
            }
        }

        static let highestLevel = 5

        func result(_ left: Int, _ right: Int) -> Int? {
            switch self {
            case .or: left != 0 || right != 0 ? 1 : 0
            case .and: left != 0 && right != 0 ? 1 : 0
            case .equal: left == right ? 1 : 0
            case .notEqual: left != right ? 1 : 0
            case .lessOrEqual: left <= right ? 1 : 0
            case .greaterOrEqual: left >= right ? 1 : 0
            case .less: left < right ? 1 : 0
            case .greater: left > right ? 1 : 0
            case .plus: left &+ right
            case .minus: left &- right
            case .times: left &* right
            case .divided: right == 0 ? nil : left.dividedReportingOverflow(by: right).partialValue
            case .remainder: right == 0 ? nil : left.remainderReportingOverflow(dividingBy: right).partialValue
            }
        }
    }

    private indirect enum Expression: Sendable {
        case number
        case constant(Int)
        case not(Expression)
        case binary(Operator, Expression, Expression)
        case conditional(Expression, Expression, Expression)

        func value(for number: Int) -> Int? {
            switch self {
            case .number: return number
            case .constant(let value): return value
            case .not(let operand): return operand.value(for: number).map { $0 == 0 ? 1 : 0 }
            case .binary(let kind, let left, let right):
                guard let left = left.value(for: number), let right = right.value(for: number) else { return nil }
                return kind.result(left, right)
            case .conditional(let condition, let positive, let negative):
                guard let condition = condition.value(for: number) else { return nil }
                return (condition != 0 ? positive : negative).value(for: number)
            }
        }
    }

    /// A recursive-descent parser of the text without spaces.
    private struct Parser {
        let text: [UInt8]
        var position = 0

        var isAtEnd: Bool { position == text.count }

        mutating func take(_ token: String) -> Bool {
            guard text[position...].starts(with: token.utf8) else { return false }
            position += token.utf8.count
            return true
        }

        /// `a ? b : c`, which is right-associative.
        mutating func conditional(depth: Int) -> Expression? {
            guard depth > 0, let condition = binary(level: 0, depth: depth - 1) else { return nil }
            guard take("?") else { return condition }
            guard let positive = conditional(depth: depth - 1), take(":"),
                let negative = conditional(depth: depth - 1)
            else { return nil }
            return .conditional(condition, positive, negative)
        }

        /// The operators of one level, left-associative.
        mutating func binary(level: Int, depth: Int) -> Expression? {
            guard level <= Operator.highestLevel else { return primary(depth: depth) }
            guard var left = binary(level: level + 1, depth: depth) else { return nil }
            // In `allCases`, longer operators come before their own prefixes.
            while let found = Operator.allCases.first(where: { $0.level == level && take($0.rawValue) }) {
                guard let right = binary(level: level + 1, depth: depth) else { return nil }
                left = .binary(found, left, right)
            }
            return left
        }

        mutating func primary(depth: Int) -> Expression? {
            guard depth > 0 else { return nil }
            if take("n") { return .number }
            if take("!") { return primary(depth: depth - 1).map(Expression.not) }
            if take("(") {
                guard let inner = conditional(depth: depth - 1), take(")") else { return nil }
                return inner
            }
            let digits = text[position...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            position += digits.count
            return Int(String(decoding: digits, as: UTF8.self)).map(Expression.constant)
        }
    }
}
