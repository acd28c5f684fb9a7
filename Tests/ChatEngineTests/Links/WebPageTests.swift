import Testing

@testable import ChatEngine

@Suite("What a page says about itself")
struct WebPageTests {
    private func description(_ page: String) -> String? {
        WebPage(page).description(of: "https://example.org/a").map {
            [$0.title, $0.summary, $0.site].map { $0 ?? "-" }.joined(separator: "|")
        }
    }

    @Test(
        "title, description and site are found, however the head is written",
        arguments: [
            (
                "<html><head><title>T</title><meta property=\"og:title\" content=\"O\"><meta name='description' content='D'></head>",
                "O|D|-"
            ),
            ("<HEAD><TITLE>\n Only\n a title </TITLE></HEAD>", "Only a title|-|-"),
            (
                "<meta content=unquoted property=og:title><META PROPERTY='og:site_name' CONTENT=\"S &amp; Co &#39;x&#x27; &nope;\">",
                "unquoted|-|S & Co 'x' &nope;"
            ),
            ("<!-- <title>no</title> --><script>var a = '<title>no</title>'</script><title>yes</title>", "yes|-|-"),
            ("<style>title{}</style><title>a</title><title>b</title>", "a|-|-"),
            (
                "<meta property=\"og:title\" content=\"first\"/><meta property=\"og:title\" content=\"second\"/>",
                "first|-|-"
            ),
        ])
    func heads(page: String, expected: String) { #expect(description(page) == expected) }

    @Test(
        "a page without a head, half a tag and nonsense are read in bounded time",
        arguments: [
            "", "<", "<meta", "<meta property", "<meta property=", "<meta property='", "<title", "<title>", "<!--",
            "</head><title>late</title>", "<body><title>late</title>", String(repeating: "<meta a=b ", count: 50_000),
            String(repeating: "<", count: 300_000), "<meta = = = >", "<meta =x>",
        ])
    func nonsense(page: String) { #expect(description(page) == nil) }
}
