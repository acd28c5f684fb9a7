internal import CGlibc
internal import Glibc
internal import Localization
internal import TerminalApp

/// Parses options with `getopt_long`, so that they work as in other programs: `--name value`, `--name=value`, unique
/// abbreviations, options after arguments, `--` as the end of options.
///
/// `getopt_long` has global state: a command line is parsed once, before anything runs concurrently.
struct OptionParser {
    /// An option of a command.
    struct Option: Sendable {
        var name: String
        /// A one-letter form.
        var letter: Character?
        /// The placeholder of the value in the help; `nil` for a switch.
        var value: String?
        var help: String

        init(_ name: String, letter: Character? = nil, value: String? = nil, _ help: String) {
            self.name = name
            self.letter = letter
            self.value = value
            self.help = help
        }
    }

    /// The parsed command line.
    struct Result: Sendable {
        var arguments: [String] = []
        fileprivate var values: [String: [String]] = [:]

        /// The value of an option; the last one if it is repeated.
        subscript(name: String) -> String? {
            get { values[name]?.last }
            set { values[name] = newValue.map { [$0] } }
        }
        /// The values of an option that may be repeated.
        func all(_ name: String) -> [String] { values[name] ?? [] }
        func has(_ name: String) -> Bool { values[name] != nil }
    }

    var options: [Option]

    init(_ options: [Option]) {
        self.options = options
    }

    /// The codes of long options are above every character.
    private static let firstCode: Int32 = 0x200
    private static let missingValue = Int32(UInt8(ascii: ":"))
    private static let unknownOption = Int32(UInt8(ascii: "?"))

    /// - Throws: a usage error that names the option.
    func parse(_ commandLine: [String]) throws(CommandError) -> Result {
        // getopt_long permutes the array it gets, so the strings are freed through a copy.
        let words: [UnsafeMutablePointer<CChar>?] = (["hongyan"] + commandLine).map { strdup($0) }
        let names: [UnsafeMutablePointer<CChar>?] = options.map { strdup($0.name) }
        defer { for pointer in words + names { free(pointer) } }
        var argv = words + [nil]
        var long: [CGlibc.option] = []
        for (index, option) in options.enumerated() {
            let argument = option.value == nil ? no_argument : required_argument
            long.append(
                CGlibc.option(
                    name: UnsafePointer(names[index]), has_arg: argument, flag: nil, val: Self.firstCode + Int32(index))
            )
        }
        long.append(CGlibc.option(name: nil, has_arg: 0, flag: nil, val: 0))
        // The leading colon makes getopt report a missing value separately and keeps it from printing.
        var short = ":"
        for option in options {
            if let letter = option.letter { short += "\(letter)" + (option.value == nil ? "" : ":") }
        }

        var result = Result()
        getopt_restart()
        while true {
            let code = getopt_long(Int32(words.count), &argv, short, long, nil)
            guard code != -1 else { break }
            guard let option = option(code: code) else {
                let position = Int(getopt_index()) - 1
                let word = argv.indices.contains(position) ? argv[position].map { String(cString: $0) } ?? "" : ""
                throw .usage(
                    code == Self.missingValue
                        ? localized("The option %@ needs a value.", word) : localized("There is no option %@.", word))
            }
            let value = option.value == nil ? "" : getopt_value().map { String(cString: $0) }
            if let value { result.values[option.name, default: []].append(value) }
        }
        for index in Int(getopt_index())..<words.count {
            if let word = argv[index] { result.arguments.append(String(cString: word)) }
        }
        return result
    }

    /// The help lines for the options, in two columns.
    var help: String {
        var lines: [String] = []
        for option in options {
            var left = option.letter.map { "  -\($0), " } ?? "      "
            left += "--\(option.name)"
            if let value = option.value { left += " " + value }
            left += String(repeating: " ", count: max(2, 32 - DisplayWidth.of(left)))
            lines.append(left + localized(option.help))
        }
        return lines.joined(separator: "\n")
    }

    private func option(code: Int32) -> Option? {
        guard code != Self.missingValue, code != Self.unknownOption else { return nil }
        if code >= Self.firstCode { return options[Int(code - Self.firstCode)] }
        return options.first { $0.letter?.asciiValue.map(Int32.init) == code }
    }
}
