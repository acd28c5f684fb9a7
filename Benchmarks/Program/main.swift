import Glibc

// The measuring program behind Scripts/benchmark. Each command measures one thing once and prints one line.
let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "corpus" where arguments.count == 3:
    writeCorpus(to: arguments[1], stanzas: Int(arguments[2]) ?? 0)
case "parse" where arguments.count == 3 && arguments[1] == "stanzas":
    measureStanzas(of: arguments[2])
case "parse" where arguments.count == 3:
    measureParsing(arguments[1], of: arguments[2])
default:
    print(
        """
        usage: benchmark corpus FILE STANZAS        write a stream with so many stanzas
               benchmark parse elements FILE        bytes to elements, the body as text
               benchmark parse fields FILE          the same, and from, to, id and type as strings
               benchmark parse stanzas FILE         bytes to Message, Presence and IQ, the body as text
               benchmark parse lookup FILE          the same, and the first child found by four names
        """)
    exit(2)
}
