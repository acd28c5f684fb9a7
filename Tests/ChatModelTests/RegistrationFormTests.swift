import AccountRegistration
import DataForms
import Testing
import XMLStreaming

@testable import ChatModel

@Suite("Registration forms")
struct RegistrationFormTests {
    @Test("legacy fields have labels; name and password are always asked for")
    func simple() throws {
        let query = RegistrationQuery(
            instructions: " Choose. ",
            fields: [.init(name: "username"), .init(name: "password"), .init(name: "email"), .init(name: "odd")])
        let form = RegistrationForm(query)
        #expect(form.instructions == ["Choose."])
        #expect(form.fields.map(\.id) == ["email", "odd"])
        #expect(form.fields.map(\.kind) == [.email, .text])
        #expect(!form.isOnlyOnWeb)
    }

    @Test("a form with an embedded CAPTCHA picture (XEP-0158), hidden fields and choices")
    func captcha() throws {
        let element = try XMLElement(
            parsing: """
                <query xmlns='jabber:iq:register'><instructions>Use the form.</instructions>
                <x xmlns='jabber:x:data' type='form'><title>Creation</title>
                <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:captcha</value></field>
                <field type='fixed'><value>Prove that you are human.</value></field>
                <field var='username' type='text-single' label='Name'><required/></field>
                <field var='terms' type='boolean' label='I agree'/>
                <field var='plan' type='list-single' label='Plan'><option label='Small'><value>s</value></option>
                <option><value>l</value></option><value>s</value></field>
                <field var='ocr' type='text-single' label='Letters'><required/>
                <media xmlns='urn:xmpp:media-element' width='2' height='1'>
                <uri type='image/png'>cid:sha1+f0@bob.xmpp.org</uri>
                <uri type='image/png'>https://example.org/captcha.png</uri>
                <uri type='text/html'>javascript:evil()</uri></media></field></x>
                <data xmlns='urn:xmpp:bob' cid='sha1+f0@bob.xmpp.org' type='image/png'>iVBORw0=</data></query>
                """)
        let form = RegistrationForm(try RegistrationQuery(from: element))
        #expect(form.instructions == ["Use the form.", "Creation"])
        #expect(form.fields.map(\.label) == ["Prove that you are human.", "I agree", "Plan", "Letters"])
        #expect(form.fields[0].kind == .remark)
        #expect(form.fields[1].kind == .yesOrNo)
        #expect(form.fields[2].kind == .choice([.init(label: "Small", value: "s"), .init(label: "l", value: "l")]))
        #expect(form.fields[3].picture == [0x89, 0x50, 0x4E, 0x47, 0x0D])
        #expect(form.fields[3].link == "https://example.org/captcha.png")
        #expect(form.fields[3].isRequired)
    }

    @Test("registration on a web page, and addresses that no browser opens")
    func web() {
        let form = RegistrationForm(RegistrationQuery(webPage: "https://example.org/join"))
        #expect(form.isOnlyOnWeb)
        #expect(form.webPage == "https://example.org/join")
        #expect(RegistrationForm(RegistrationQuery(webPage: "file:///etc/passwd")).webPage == nil)
    }
}
