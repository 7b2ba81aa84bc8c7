package io.github.vertxrdma.page;

import static io.github.vertxrdma.page.Cluster.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.Rdma;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.Router;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(240)
class PageTest {
  private static final String TOKEN = "0123456789abcdef+%";
  private static final RdmaPageOptions OPTIONS = new RdmaPageOptions().setPort(0).setToken(TOKEN).setPeriod(Duration.ofMillis(50));

  @TempDir
  Path folder;
  private Cluster cluster;
  private String deployment;

  private RdmaPage start(int size, int silent) throws Exception {
    cluster = new Cluster(folder, size, silent);
    return deploy(cluster.node(0), OPTIONS);
  }

  private RdmaPage deploy(Rdma rdma, RdmaPageOptions options) throws Exception {
    RdmaPage page = new RdmaPage(rdma, options);
    deployment = await(cluster.vertx(0).deployVerticle(page));
    return page;
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  @Test
  void requestsWithoutTokenAreRefused() throws Exception {
    RdmaPage page = start(1, -1);
    try (Visitor visitor = new Visitor(page.url())) {
      for (String path : List.of("/", "/events", "/?token=", "/?token=" + "x".repeat(18), "/events?token=0123456789abcdef")) {
        HttpClientResponse refused = visitor.get(path);
        assertEquals(403, refused.statusCode(), path);
        assertTrue(await(refused.body()).toString().contains("token"), path);
        assertEquals(null, refused.getHeader("Set-Cookie"), path);
      }
      assertEquals(403, visitor.get("/", "Authorization", "Bearer nothing of the kind").statusCode());
      assertEquals(200, visitor.get("/", "Authorization", "Bearer " + TOKEN).statusCode());
      assertEquals(405, visitor.request(HttpMethod.POST, "/", null, null).statusCode());
    }
  }

  @Test
  void requestsForOtherHostNamesAreRefused() throws Exception {
    RdmaPage page = start(1, -1);
    String path = page.url().substring(page.url().indexOf("/?"));
    try (Visitor visitor = new Visitor(page.url())) {
      HttpClientResponse refused = visitor.get(path, "Host", "rebound.example:7480");
      assertEquals(403, refused.statusCode());
      assertTrue(await(refused.body()).toString().contains("by its IP address, as localhost"));
      assertEquals(null, refused.getHeader("Set-Cookie"));
      for (String own : List.of("localhost:7480", "127.0.0.1", "[::1]:7480", "192.0.2.7:80")) {
        assertEquals(303, visitor.get(path, "Host", own).statusCode(), own);
      }
    }
  }

  @Test
  void theTokenDoesNotStayInTheAddressLine() throws Exception {
    RdmaPage page = start(1, -1);
    try (Visitor visitor = new Visitor(page.url())) {
      HttpClientResponse first = visitor.get(page.url().substring(page.url().indexOf("/?")));
      assertEquals(303, first.statusCode());
      assertEquals("/", first.getHeader("Location"));
      String cookie = first.getHeader("Set-Cookie");
      assertTrue(cookie.contains("HTTPOnly") && cookie.contains("SameSite=Lax") && !cookie.contains(TOKEN), cookie);
      HttpClientResponse second = visitor.get("/", "Cookie", cookie.substring(0, cookie.indexOf(';')));
      assertEquals(200, second.statusCode());
      String html = await(second.body()).toString();
      assertFalse(html.replace("http://www.w3.org", "").contains("http"), "nothing is loaded from elsewhere");
      assertTrue(second.getHeader("Content-Security-Policy").contains("frame-ancestors 'none'"));
      assertEquals(403, visitor.get("/", "Cookie", cookie.substring(0, cookie.indexOf(';') - 1)).statusCode());
    }
  }

  @Test
  void eventsListNodesConnectionsAndRates() throws Exception {
    RdmaPage page = start(3, -1);
    cluster.connect();
    try (Visitor visitor = new Visitor(page.url())) {
      visitor.listen("/events", "Bearer " + TOKEN);
      JsonObject whole = visitor.picture("all three are up", picture -> count(picture.getJsonArray("nodes"), "up") == 3);
      assertEquals("node-0", whole.getString("self"));
      assertEquals("echo", whole.getJsonArray("services").getJsonObject(0).getString("name"));
      cluster.use();
      JsonObject busy = visitor.picture("requests were measured", picture -> {
        cluster.use();
        JsonArray point = last(picture);
        return point.getDouble(1) > 0 && point.getDouble(3) > 0 && point.getLong(5) != null && point.getLong(8) != null
          && point.getLong(9) != null && picture.getJsonArray("links").getJsonObject(0).getLong("roundTrip") != null;
      });
      assertTrue(last(busy).getLong(6) >= last(busy).getLong(5), busy.encodePrettily());
      JsonObject link = busy.getJsonArray("links").getJsonObject(0);
      assertEquals("node-0", link.getString("a"));
      assertEquals("node-1", link.getString("b"));
      assertEquals(new JsonArray().add("nio"), link.getJsonArray("devices"));
      assertEquals(2, link.getInteger("connections"), "one for the service, one for regions");
      assertTrue(link.getLong("roundTrip") > 0);
      JsonObject table = busy.getJsonArray("regions").getJsonObject(0);
      assertEquals(new JsonArray().add("node-1").add("node-2"), table.getJsonArray("holders"));
      assertEquals(new JsonArray().add("read").add("write"), table.getJsonArray("access"));
      JsonObject client = busy.getJsonArray("nodes").getJsonObject(1);
      assertTrue(client.getLong("registered") > 0 && client.getInteger("connections") == 2, client.encode());
    }
  }

  @Test
  void departedNodeIsShownAsLeft() throws Exception {
    RdmaPage page = start(3, -1);
    try (Visitor visitor = new Visitor(page.url())) {
      visitor.listen("/events", "Bearer " + TOKEN);
      visitor.picture("all three are up", picture -> count(picture.getJsonArray("nodes"), "up") == 3);
      await(cluster.vertx(2).close());
      JsonObject then = visitor.picture("one is gone", picture -> count(picture.getJsonArray("nodes"), "gone") == 1);
      assertEquals("node-2", then.getJsonArray("nodes").getJsonObject(2).getString("id"));
      assertTrue(then.getJsonArray("happened").stream().map(JsonObject.class::cast)
        .anyMatch(event -> event.getString("node").equals("node-2") && event.getString("what").equals("has "
          + "left")),
        then.encodePrettily());
    }
  }

  @Test
  void nodeWithoutStatisticsIsShownWithTheReason() throws Exception {
    RdmaPage page = start(2, 1);
    try (Visitor visitor = new Visitor(page.url())) {
      visitor.listen("/events", "Bearer " + TOKEN);
      JsonObject picture = visitor.picture("node 0 is up, node 1 says no", p -> count(p.getJsonArray("nodes"), "up") == 1
        && !p.getJsonArray("nodes").getJsonObject(1).getString("failure").isEmpty());
      assertEquals("node node-1 does not send statistics, since its option statistics is false",
        picture.getJsonArray("nodes").getJsonObject(1).getString("failure"));
    }
  }

  @Test
  void nodesAreNotAskedWithoutBrowsersAndNothingIsLeft() throws Exception {
    cluster = new Cluster(folder, 1, -1);
    AtomicInteger asked = new AtomicInteger();
    Rdma counted = (Rdma) Proxy.newProxyInstance(Rdma.class.getClassLoader(), new Class<?>[] {Rdma.class}, (proxy, method, arguments) -> {
      if (method.getName().equals("statistics")) {
        asked.incrementAndGet();
      }
      try {
        return method.invoke(cluster.node(0), arguments);
      } catch (InvocationTargetException e) {
        throw e.getCause();
      }
    });
    RdmaPage page = deploy(counted, OPTIONS);
    assertEquals(0, asked.get());
    Visitor first = new Visitor(page.url());
    first.listen("/events", "Bearer " + TOKEN);
    first.picture("figures come", picture -> asked.get() > 1);
    first.close();
    // The end of a browser is noticed when its connection closes; from then on the number is constant.
    int[] before = {-1};
    Visitor.until("nobody is asked any more", () -> {
      int now = asked.get();
      boolean still = now == before[0];
      before[0] = now;
      return still;
    }, 500);
    try (Visitor second = new Visitor(page.url())) {
      second.listen("/events", "Bearer " + TOKEN);
      second.picture("figures come again", picture -> count(picture.getJsonArray("nodes"), "up") == 1);
      await(cluster.vertx(0).undeploy(deployment));
      second.awaitEnd();
      assertThrows(Exception.class, () -> second.get("/"), "nobody listens any more");
    }
  }

  @Test
  void idleConnectionsAreClosedForNewerOnes() throws Exception {
    URI page = URI.create(start(1, -1).url());
    List<Socket> silent = new ArrayList<>();
    try (Visitor visitor = new Visitor(page.toString())) {
      visitor.listen("/events", "Bearer " + TOKEN);
      for (int i = 0; i < 300; i++) {
        silent.add(new Socket(page.getHost(), page.getPort()));
      }
      assertEnds(silent.getFirst(), 60);
      assertEquals(403, visitor.get("/").statusCode());
      assertNotNull(visitor.picture("figures come", picture -> count(picture.getJsonArray("nodes"), "up") == 1));
      silent.getLast().getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      assertEquals('H', silent.getLast().getInputStream().read());
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  /** Asks for the events over a further connection. Returns the beginning of the answer. */
  private static String view(URI page, List<Socket> viewers) throws IOException {
    Socket viewer = new Socket(page.getHost(), page.getPort());
    viewers.add(viewer);
    viewer.setSoTimeout(60_000);
    viewer.getOutputStream().write(("GET /events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN + "\r\n\r\n")
      .getBytes(StandardCharsets.US_ASCII));
    return new String(viewer.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
  }

  @Test
  void browsersBeyondTheLimitAreRefused() throws Exception {
    URI page = URI.create(start(1, -1).url());
    List<Socket> viewers = new ArrayList<>();
    try {
      for (int i = 0; i < 64; i++) {
        assertEquals("HTTP/1.1 200", view(page, viewers));
      }
      assertEquals("HTTP/1.1 503", view(page, viewers));
      viewers.getFirst().close();
      Visitor.until("another may view the page", () -> {
        try {
          return view(page, viewers).endsWith("200");
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }, 20);
    } finally {
      for (Socket viewer : viewers) {
        viewer.close();
      }
    }
  }

  @Test
  @Tag("full")
  void clientThatReadsNoAnswersIsDisconnected() throws Exception {
    URI page = URI.create(start(1, -1).url());
    byte[] requests = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1000).getBytes(StandardCharsets.US_ASCII);
    List<Socket> others = new ArrayList<>();
    try (Socket deaf = new Socket(); Visitor visitor = new Visitor(page.toString())) {
      deaf.setReceiveBufferSize(1024);
      deaf.connect(new InetSocketAddress(page.getHost(), page.getPort()));
      for (int i = 0; i < 8; i++) {
        deaf.getOutputStream().write(requests);
      }
      for (int i = 0; i < 300; i++) {
        others.add(new Socket(page.getHost(), page.getPort()));
      }
      assertEquals(403, visitor.get("/").statusCode());
      assertThrows(IOException.class, () -> {
        for (int i = 0; i < 1000; i++) {
          deaf.getOutputStream().write(requests);
        }
      }, "all of that is read");
    } finally {
      for (Socket socket : others) {
        socket.close();
      }
    }
  }

  @Test
  @Tag("full")
  void aConnectionHasANumberOfRequests() throws Exception {
    URI page = URI.create(start(1, -1).url());
    try (Socket one = new Socket(page.getHost(), page.getPort())) {
      one.setSoTimeout(60_000);
      one.getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200).getBytes(StandardCharsets.US_ASCII));
      StringBuilder answers = new StringBuilder();
      byte[] some = new byte[1 << 16];
      try {
        for (int read; (read = one.getInputStream().read(some)) >= 0;) {
          answers.append(new String(some, 0, read, StandardCharsets.US_ASCII));
        }
      } catch (IOException e) {
        // The server closes a connection with unread requests.
      }
      assertEquals(100, answers.toString().split("HTTP/1.1 403", -1).length - 1);
      assertTrue(answers.indexOf("connection: close") > 0, answers::toString);
    }
  }

  @Test
  @Tag("long")
  void incompleteRequestTimesOut() throws Exception {
    URI page = URI.create(start(1, -1).url());
    try (Socket half = new Socket(page.getHost(), page.getPort()); Visitor visitor = new Visitor(page.toString())) {
      visitor.listen("/events", "Bearer " + TOKEN);
      half.getOutputStream().write("GET / HTTP/1.1\r\nHo".getBytes(StandardCharsets.US_ASCII));
      assertEnds(half, 120);
      assertNotNull(visitor.picture("figures go on", picture -> count(picture.getJsonArray("nodes"), "up") == 1));
    }
  }

  private static void assertEnds(Socket socket, int seconds) throws IOException {
    socket.setSoTimeout(seconds * 1000);
    assertEquals(-1, socket.getInputStream().read());
  }

  @Test
  void pageCanBeMountedInARouterOfTheApplication() throws Exception {
    cluster = new Cluster(folder, 1, -1);
    Router main = Router.router(cluster.vertx(0));
    main.route("/rdma/*").subRouter(RdmaPage.router(cluster.node(0), OPTIONS));
    HttpServer server = await(cluster.vertx(0).createHttpServer().requestHandler(main).listen(0, "127.0.0.1"));
    try (Visitor visitor = new Visitor("http://127.0.0.1:" + server.actualPort() + "/")) {
      assertEquals(403, visitor.get("/rdma/").statusCode());
      HttpClientResponse first = visitor.get("/rdma/?token=0123456789abcdef%2B%25");
      assertEquals("/rdma/", first.getHeader("Location"));
      assertTrue(first.getHeader("Set-Cookie").contains("Path=/rdma/"), first.getHeader("Set-Cookie"));
      assertEquals(200, visitor.get("/rdma/", "Authorization", "Bearer " + TOKEN).statusCode());
      assertEquals("/rdma/?token=x%26", visitor.get("/rdma?token=x%26").getHeader("Location"));
      assertEquals("/rdma/", visitor.get("/rdma").getHeader("Location"));
      assertEquals(400, visitor.get("/rdma/?token=%zz").statusCode());
      assertEquals(400, visitor.get("/rdma/a;b/?token=0123456789abcdef%2B%25").statusCode());
      visitor.listen("/rdma/events", "Bearer " + TOKEN);
      assertNotNull(visitor.picture("figures come", picture -> count(picture.getJsonArray("nodes"), "up") == 1));
    }
    assertThrows(IllegalArgumentException.class, () -> RdmaPage.router(cluster.node(0), new RdmaPageOptions()));
  }

  @Test
  void usedPortAndShortTokenAreRefused() throws Exception {
    RdmaPage page = start(1, -1);
    int port = Integer.parseInt(page.url().replaceAll(".*:(\\d+)/.*", "$1"));
    Throwable taken = assertThrows(Exception.class, () -> deploy(cluster.node(0), new RdmaPageOptions(OPTIONS).setPort(port))).getCause();
    assertTrue(taken.getMessage().contains("Set another port"), taken.getMessage());
    assertThrows(IllegalArgumentException.class, () -> new RdmaPageOptions().setToken("short"));
    assertEquals(OPTIONS.toJson(), new RdmaPageOptions(OPTIONS.toJson()).toJson());
  }

  private static JsonArray last(JsonObject picture) {
    JsonArray points = picture.getJsonArray("points");
    return points.getJsonArray(points.size() - 1);
  }

  private static long count(JsonArray nodes, String what) {
    return nodes.stream().filter(node -> ((JsonObject) node).getBoolean(what)).count();
  }
}
