import DataForms
import Testing
import XMLStreaming

@Suite("Data forms (XEP-0004, XEP-0122, XEP-0141)")
struct DataFormTests {
    /// The examples of XEP-0122 §3, as fields of one form.
    private static let document = """
        <x xmlns='jabber:x:data' type='form'>\
        <field label='Event Date/Time' type='text-single' var='evt.date'>\
        <validate xmlns='http://jabber.org/protocol/xdata-validate' datatype='xs:dateTime'>\
        <range max='2003-10-24T23:59:59-07:00' min='2003-10-05T00:00:00-07:00'/></validate></field>\
        <field label='Event Category' type='list-single' var='evt.category'>\
        <option><value>holiday</value></option><option><value>reminder</value></option>\
        <validate xmlns='http://jabber.org/protocol/xdata-validate' datatype='xs:string'><open/></validate></field>\
        <field label='Notify me by' type='list-multi' var='evt.notify-methods'>\
        <option><value>e-mail</value></option><option><value>jabber/xmpp</value></option>\
        <option><value>work phone</value></option><option><value>home phone</value></option>\
        <validate xmlns='http://jabber.org/protocol/xdata-validate' datatype='xs:string'><basic/>\
        <list-range max='3' min='1'/></validate></field>\
        <field label='Social Security Number' type='text-single' var='ssn'>\
        <desc>This field should be your SSN, including '-' (e.g. 123-12-1234)</desc>\
        <validate xmlns='http://jabber.org/protocol/xdata-validate' datatype='xs:string'>\
        <regex>([0-9]{3})-([0-9]{2})-([0-9]{4})</regex></validate></field></x>
        """

    @Test("reads the examples of the specification")
    func examples() throws {
        let form = try DataForm(from: XMLElement(parsing: Self.document))
        #expect(
            form["evt.date"]?.validation
                == DataFormValidation(
                    datatype: "xs:dateTime",
                    method: .range(minimum: "2003-10-05T00:00:00-07:00", maximum: "2003-10-24T23:59:59-07:00")))
        #expect(form["evt.category"]?.validation?.isOpen == true)
        #expect(form["evt.notify-methods"]?.validation == DataFormValidation(minimumCount: 1, maximumCount: 3))
        #expect(form["ssn"]?.validation?.method == .regularExpression("([0-9]{3})-([0-9]{2})-([0-9]{4})"))
        for field in form.fields {
            let validation = try #require(field.validation)
            #expect(try DataFormValidation(from: XMLElement(validation)) == validation)
        }
    }

    @Test(
        "finds what is wrong with answers",
        arguments: [
            ("evt.date", ["2003-10-06T11:22:00-07:00"], nil), ("evt.date", ["tomorrow"], .invalid),
            ("evt.date", ["2003-10-06T11:22:00Z", "2003-10-07T11:22:00Z"], .tooMany),
            ("evt.category", ["my own"], nil), ("evt.notify-methods", ["e-mail", "home phone"], nil),
            ("evt.notify-methods", ["pigeon"], .notAnOption),
            ("evt.notify-methods", ["e-mail", "jabber/xmpp", "work phone", "home phone"], .count),
            ("ssn", [""], nil),
        ] as [(String, [String], DataFormFault.Reason?)])
    func faults(_ name: String, _ values: [String], _ reason: DataFormFault.Reason?) throws {
        let form = try DataForm(from: XMLElement(parsing: Self.document))
        let answers = DataForm(kind: .submit, fields: [DataFormField(name: name, values: values)])
        #expect(form.faults(in: answers).map(\.reason) == (reason.map { [$0] } ?? []))
        #expect(form.faults(in: answers).allSatisfy { $0.field == name })
    }

    @Test("a required field without a value is the first fault, with its label")
    func required() {
        let form = DataForm(
            kind: .form,
            fields: [
                DataFormField(name: "FORM_TYPE", kind: .hidden, values: ["x"]),
                DataFormField(name: "who", kind: .jidSingle, label: "Person", isRequired: true),
                DataFormField(name: "now", kind: .boolean),
            ])
        #expect(form.faults(in: DataForm(kind: .submit)).map(\.description) == ["“Person” needs a value."])
        #expect(
            form.faults(in: form.answered(with: ["who": ["a@b@c"], "now": ["maybe"]])).map(\.reason) == [
                .invalid, .invalid,
            ])
        #expect(form.faults(in: form.answered(with: ["who": ["nurse@example.org"], "now": ["1"]])).isEmpty)
    }

    @Test(
        "values of the datatypes",
        arguments: [
            ("xs:integer", "12", true), ("xs:integer", "-9223372036854775809", false), ("xs:byte", "128", false),
            ("xs:positiveInteger", "0", false), ("xs:decimal", "1.50", true), ("xs:decimal", "1e3", false),
            ("xs:double", "1e3", true), ("xs:date", "2026-11-23", true), ("xs:date", "23.11.2026", false),
            ("xs:time", "07:30:00", true), ("xs:language", "zh-Hant-TW", true), ("xs:language", "in English", false),
            ("xs:boolean", "yes", false), ("x:own", "anything", true),
        ])
    func datatypes(_ datatype: String, _ value: String, _ isValid: Bool) {
        #expect(DataFormValidation(datatype: datatype).permits(value) == isValid)
    }

    @Test("a range applies to numbers and dates")
    func ranges() {
        let number = DataFormValidation(datatype: "xs:int", method: .range(minimum: "2", maximum: "10"))
        #expect(["2", "9", "10"].allSatisfy(number.permits))
        #expect(!number.permits("1") && !number.permits("11"))
        let date = DataFormValidation(datatype: "xs:date", method: .range(minimum: "2026-01-01", maximum: nil))
        #expect(date.permits("2026-11-23") && !date.permits("2025-12-31"))
    }

    /// XEP-0141 example 4, shortened.
    @Test("pages and their sections are written as they were read")
    func pages() throws {
        let document = """
            <x xmlns='jabber:x:data' type='form'>\
            <page xmlns='http://jabber.org/protocol/xdata-layout' label='Personal Information'>\
            <text>This is page one of three.</text><section label='Name'><text>Who are you?</text>\
            <fieldref var='name.first'/><section><fieldref var='name.last'/></section></section>\
            <reportedref/><fieldref var='email'/></page>\
            <field var='name.first'/><field var='name.last'/><field var='email'/></x>
            """
        let element = try XMLElement(parsing: document)
        let form = try DataForm(from: element)
        #expect(form.pages.map(\.label) == ["Personal Information"])
        #expect(form.pages.first?.fieldNames == ["name.first", "name.last", "email"])
        #expect(XMLElement(form) == element)
    }

    @Test("sections are read to a depth that a person could tell apart")
    func depth() throws {
        let depth = 40
        let sections =
            String(repeating: "<section>", count: depth) + "<fieldref var='a'/>"
            + String(repeating: "</section>", count: depth)
        let page = try DataFormPage(
            from: XMLElement(parsing: "<page xmlns='http://jabber.org/protocol/xdata-layout'>\(sections)</page>"))
        #expect(page.fieldNames.isEmpty)
        var parts = page.parts
        var found = 0
        while case .section(_, let inner)? = parts.first {
            parts = inner
            found += 1
        }
        #expect(found == DataFormPage.maximumDepth)
    }
}
