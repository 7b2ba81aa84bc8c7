package io.github.vertxrdma.page;

import io.github.vertxrdma.provider.contract.LogLines;
import io.github.vertxrdma.provider.contract.parsers.Parser;
import io.github.vertxrdma.provider.contract.parsers.ParserContract;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

class ParsersTest implements ParserContract {
  private static final String TOKEN = "a-token-for-tests";
  /** A server's own failure; 501 and 505 refuse other versions of HTTP. */
  private static final Pattern FAILURE = Pattern.compile("^HTTP/1\\.1 5(?!0[15])", Pattern.MULTILINE);

  @TempDir
  static Path folder;
  private static Cluster cluster;
  private static int port;
  /** Contains no message about a request. */
  private static LogLines errors;

  @BeforeAll
  static void serve() throws Exception {
    errors = new LogLines("io.vertx.ext.web.RoutingContext");
    cluster = new Cluster(folder, 1, -1);
    RdmaPage page = new RdmaPage(cluster.node(0), new RdmaPageOptions().setToken(TOKEN).setPeriod(Duration.ofMillis(50)).setPort(0));
    Cluster.await(cluster.vertx(0).deployVerticle(page));
    port = URI.create(page.url()).getPort();
  }

  @AfterAll
  static void close() throws Exception {
    cluster.close();
    errors.close();
  }

  @Override
  public List<Parser> parsers() {
    return List.of(new Parser("page-request", IllegalArgumentException.class, ParsersTest::request, 10));
  }

  private static void request(byte[] bytes) {
    String answers = "";
    try (Socket socket = new Socket("127.0.0.1", port)) {
      socket.setSoTimeout(20_000);
      socket.getOutputStream().write(bytes);
      socket.shutdownOutput();
      answers = new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      // The server has closed the connection.
    }
    if (FAILURE.matcher(answers).find() || !errors.lines().isEmpty()) {
      throw new AssertionError(answers + errors.lines());
    }
    if (!answers.startsWith("HTTP/1.1 2")) {
      throw new IllegalArgumentException(answers);
    }
  }
}
