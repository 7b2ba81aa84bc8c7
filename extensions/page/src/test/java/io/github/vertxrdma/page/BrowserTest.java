package io.github.vertxrdma.page;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page in a real browser. With the system property {@code vertx.rdma.page.screenshots} it leaves pictures in that folder. */
@Tag("long")
@Timeout(240)
class BrowserTest {
  private static final String SCREENSHOTS = System.getProperty("vertx.rdma.page.screenshots");

  @TempDir(cleanup = CleanupMode.ON_SUCCESS)
  Path folder;

  @ParameterizedTest
  @ValueSource(ints = {4, 40})
  void aBrowserShowsTheClusterOnAPhoneAndOnADesk(int nodes) throws Exception {
    assumeTrue(Browser.installed().isPresent(), "there is no chromium or chrome on this machine; apt-get install chromium");
    try (Cluster cluster = new Cluster(folder, nodes, 3);
      Browser browser = new Browser(Browser.installed().get(), folder.resolve("profile"))) {
      cluster.connect();
      RdmaPage page = new RdmaPage(cluster.node(0), new RdmaPageOptions().setPort(0).setPeriod(Duration.ofMillis(200)));
      Cluster.await(cluster.vertx(0).deployVerticle(page));
      browser.screen(1440, 900, false, false);
      browser.open(page.url());
      until("the figures are there", browser, cluster, "document.querySelectorAll('#graph g.node').length === " + nodes
        + " && document.querySelectorAll('#links tbody tr').length >= 3 && document.querySelectorAll('#charts path').length >= 8");
      assertEquals("live", browser.evaluate("document.getElementById('state').className"));
      assertEquals("", browser.evaluate("location.search"), "the token is not in the address line");
      assertTrue(String.valueOf(browser.evaluate("document.body.innerText")).contains("its option statistics is false"),
        "why one does not answer");
      for (int i = 0; i < 20; i++) {
        int seen = ((Number) browser.evaluate("Number(document.body.dataset.events)")).intValue();
        until("another picture", browser, cluster, "Number(document.body.dataset.events) > " + seen);
      }
      look(browser, "desk-light-" + nodes);
      browser.screen(1440, 900, false, true);
      fits(browser);
      look(browser, "desk-dark-" + nodes);
      browser.screen(375, 812, true, false);
      until("it is drawn anew for a phone", browser, cluster, "document.querySelector('#graph svg').clientWidth < 400");
      fits(browser);
      look(browser, "phone-light-" + nodes);
      browser.screen(375, 812, true, true);
      look(browser, "phone-dark-" + nodes);
      browser.evaluate("document.querySelectorAll('#graph g.node')[1].dispatchEvent(new MouseEvent('click', {bubbles: true}))");
      until("only one is shown", browser, cluster, "document.querySelectorAll('#nodes tbody tr').length === 1");
    }
  }

  private static void fits(Browser browser) throws Exception {
    assertEquals(true, browser.evaluate("document.documentElement.scrollWidth <= innerWidth"));
  }

  private static void look(Browser browser, String name) throws Exception {
    if (SCREENSHOTS != null) {
      Files.createDirectories(Path.of(SCREENSHOTS));
      browser.screenshot(Path.of(SCREENSHOTS, name + ".png"));
    }
  }

  private static void until(String what, Browser browser, Cluster cluster, String script) throws Exception {
    long end = System.nanoTime() + 60_000_000_000L;
    while (!Boolean.TRUE.equals(browser.evaluate(script))) {
      assertTrue(System.nanoTime() < end, "waited in vain until " + what);
      cluster.use();
    }
  }
}
