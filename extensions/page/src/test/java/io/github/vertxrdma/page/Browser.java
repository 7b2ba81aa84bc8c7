package io.github.vertxrdma.page;

import static io.github.vertxrdma.page.Cluster.await;

import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** A headless Chromium, controlled by its DevTools protocol. */
final class Browser implements AutoCloseable {
  private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");
  private static final String LISTENING = "DevTools listening on ";

  private final HttpClient client = HttpClient.newHttpClient();
  private final Process process;
  private final Map<Integer, Promise<JsonObject>> calls = new ConcurrentHashMap<>();
  private final AtomicInteger numbers = new AtomicInteger();
  private final WebSocket socket;
  private final String session;

  static Optional<Path> installed() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator)).flatMap(folder -> NAMES.stream()
      .map(name -> Path.of(folder, name))).filter(Files::isExecutable).findFirst();
  }

  Browser(Path program, Path folder) throws Exception {
    process = new ProcessBuilder("nice", "-n", "15", program.toString(), "--headless=new", "--no-sandbox", "--disable-gpu",
      "--no-first-run",
      "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
      "--hide-scrollbars",
      "--user-data-dir=" + folder, "--remote-debugging-port=0", "--remote-allow-origins=*", "about:blank").redirectErrorStream(true)
      .start();
    try {
      String url = listening().get(60, TimeUnit.SECONDS);
      socket = client.newWebSocketBuilder().buildAsync(URI.create(url), new Listener()).get(60, TimeUnit.SECONDS);
      String target = call(null, "Target.createTarget", new JsonObject().put("url", "about:blank")).getString("targetId");
      session = call(null, "Target.attachToTarget", new JsonObject().put("targetId", target).put("flatten", true)).getString("sessionId");
    } catch (Exception e) {
      close();
      throw e;
    }
  }

  /** Reads its output to the end, so that it never waits for a reader. */
  private CompletableFuture<String> listening() {
    CompletableFuture<String> found = new CompletableFuture<>();
    Thread reader = new Thread(() -> {
      try (BufferedReader lines = process.inputReader()) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          if (line.startsWith(LISTENING)) {
            found.complete(line.substring(LISTENING.length()).trim());
          }
        }
        found.completeExceptionally(new IOException("the browser has ended"));
      } catch (IOException e) {
        found.completeExceptionally(e);
      }
    }, "browser");
    reader.setDaemon(true);
    reader.start();
    return found;
  }

  private final class Listener implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean last) {
      text.append(part);
      if (last) {
        JsonObject message = new JsonObject(text.toString());
        text.setLength(0);
        answered(message);
      }
      from.request(1);
      return null;
    }
  }

  private void answered(JsonObject message) {
    Promise<JsonObject> call = message.getInteger("id") == null ? null : calls.remove(message.getInteger("id"));
    if (call != null && message.getJsonObject("error") != null) {
      call.tryFail(message.getJsonObject("error").encode());
    } else if (call != null) {
      call.tryComplete(message.getJsonObject("result"));
    }
  }

  private JsonObject call(String in, String method, JsonObject parameters) throws Exception {
    int number = numbers.incrementAndGet();
    Promise<JsonObject> promise = Promise.promise();
    calls.put(number, promise);
    JsonObject message = new JsonObject().put("id", number).put("method", method).put("params", parameters);
    socket.sendText((in == null ? message : message.put("sessionId", in)).encode(), true).get(20, TimeUnit.SECONDS);
    return await(promise.future());
  }

  void open(String url) throws Exception {
    call(session, "Page.navigate", new JsonObject().put("url", url));
  }

  /** Sets the screen's size in CSS pixels. */
  void screen(int width, int height, boolean phone, boolean dark) throws Exception {
    call(session, "Emulation.setDeviceMetricsOverride", new JsonObject().put("width", width).put("height", height)
      .put("deviceScaleFactor", phone ? 2 : 1).put("mobile", phone));
    call(session, "Emulation.setEmulatedMedia", new JsonObject().put("features", new JsonArray().add(
      new JsonObject().put("name", "prefers-color-scheme").put("value", dark ? "dark" : "light"))));
  }

  Object evaluate(String script) throws Exception {
    JsonObject result = call(session, "Runtime.evaluate", new JsonObject().put("expression", script).put("returnByValue", true));
    if (result.getJsonObject("exceptionDetails") != null) {
      throw new AssertionError(script + ": " + result.encode());
    }
    return result.getJsonObject("result").getValue("value");
  }

  void screenshot(Path file) throws Exception {
    String png = call(session, "Page.captureScreenshot", new JsonObject().put("format", "png").put("captureBeyondViewport", true))
      .getString("data");
    Files.write(file, Base64.getDecoder().decode(png));
  }

  @Override
  public void close() throws Exception {
    List<ProcessHandle> children = process.descendants().toList();
    process.destroyForcibly().waitFor();
    // The processes write into the folder, which is deleted next, until they have ended.
    for (ProcessHandle child : children) {
      child.destroyForcibly();
      child.onExit().get(20, TimeUnit.SECONDS);
    }
    client.shutdownNow();
  }
}
