package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.base.FileErrors;
import io.github.vertxrdma.base.GivenPath;
import io.github.vertxrdma.impl.process.Loaders;
import io.github.vertxrdma.impl.process.Setting;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.logging.Logger;
import io.vertx.core.internal.logging.LoggerFactory;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Options of this process. The system property {@value #FILE} names their file; otherwise {@value #RESOURCE} is read from the class path.
 * {@value #FABRIC} and {@value #STREAMS} override them. See {@link Setting}.
 *
 * @param rdma options of the node; a fabric in them is forced
 * @param origin log line that names the file of the options; null for none
 */
public record TransportOptions(RdmaOptions rdma, boolean eventBus, boolean streams, Moves moves, String origin) {
  /** System property, or environment variable {@code VERTX_RDMA_CONFIG}: JSON file with the options. */
  static final String FILE = "vertx.rdma.config";
  static final String RESOURCE = "vertx-rdma.json";
  /** System property, or environment variable {@code VERTX_RDMA_FABRIC}: fabric or device to force, unless the application names one. */
  public static final String FABRIC = "vertx.rdma.fabric";
  /**
   * System property, or environment variable {@code VERTX_RDMA_STREAMS}: {@code all} to use fabrics for all TCP servers and clients,
   * {@code none} (the default) for the clustered event bus only.
   */
  static final String STREAMS = "vertx.rdma.streams";
  private static final String TRANSPORT = "transport";
  private static final Logger LOG = LoggerFactory.getLogger(TransportOptions.class);
  private static final Set<String> LOGGED = ConcurrentHashMap.newKeySet();

  TransportOptions(RdmaOptions rdma, boolean eventBus, boolean streams) {
    this(rdma, eventBus, streams, Moves.configured(), null);
  }

  /**
   * Returns the RDMA options of this process: those of the {@link RdmaTransport} that the Vert.x uses, otherwise those of the configuration
   * file. Blocks while it reads the file.
   */
  public static RdmaOptions ofNodes(Vertx vertx) {
    if (((VertxInternal) vertx).transport() instanceof RdmaTransport ours) {
      return ours.options.used().rdma;
    }
    TransportInstaller.used();
    return load().used().rdma;
  }

  /** Returns a copy of the options, with {@code requireEncryption} if this process requires it. Blocks as {@link #ofNodes} does. */
  public static RdmaOptions withProcessEncryption(Vertx vertx, RdmaOptions given) {
    RdmaOptions own = new RdmaOptions(given);
    return own.setRequireEncryption(given.isRequireEncryption() || ofNodes(vertx).isRequireEncryption());
  }

  /** Loads the options. Blocks. @throws IllegalArgumentException if the file is invalid */
  static TransportOptions load() {
    String file = Setting.of(FILE);
    String from = file == null ? RESOURCE + " on the class path" : file;
    try {
      if (file != null) {
        return of(file, new JsonObject(Files.readString(GivenPath.of(file, "-D" + FILE + " or " + Setting.variable(FILE)))));
      }
      URL resource = resource();
      if (resource == null) {
        return of(null, new JsonObject());
      }
      from = resource.toString();
      return of(from, new JsonObject(text(resource)));
    } catch (DecodeException e) {
      throw new IllegalArgumentException("The options of vertx-rdma in " + from + " are not valid JSON: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("The options of vertx-rdma in " + from + " are wrong: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException("The options of vertx-rdma in " + from + " cannot be read: " + FileErrors.words(e), e);
    }
  }

  /** Logs the origin once. Called at the first use of a fabric, because other processes have no use for the line. */
  TransportOptions used() {
    if (origin != null && LOGGED.add(origin)) {
      LOG.info(origin);
    }
    return this;
  }

  private static URL resource() throws IOException {
    for (ClassLoader loader : Loaders.ordered()) {
      List<URL> found = Collections.list(loader.getResources(RESOURCE));
      if (!found.isEmpty()) {
        URL first = found.getFirst();
        // A class loader may list its parent's files twice.
        found.removeIf(other -> other.toString().equals(first.toString()));
        if (!found.isEmpty() && LOGGED.add(found.toString())) {
          LOG.warn("The class path has several " + RESOURCE + ": " + first + " is used, and " + found + " is not. Keep one of them, "
            + "or name one with -D" + FILE);
        }
        return first;
      }
    }
    return null;
  }

  private static String text(URL resource) throws IOException {
    URLConnection connection = resource.openConnection();
    // A cached connection would keep the jar open.
    connection.setUseCaches(false);
    try (InputStream in = connection.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static TransportOptions of(String from, JsonObject json) {
    JsonKeys.known(RdmaOptions.class, json, TRANSPORT);
    Object besides = json.remove(TRANSPORT);
    JsonObject transport = besides == null ? new JsonObject() : (JsonObject) besides;
    JsonKeys.known(TRANSPORT, Map.of("eventBus", boolean.class, "streams", String.class), transport);
    RdmaOptions rdma = new RdmaOptions(json);
    String fabric = Setting.of(FABRIC);
    if (fabric != null) {
      rdma.setFabric(fabric);
    }
    String streams = Setting.of(STREAMS);
    return new TransportOptions(rdma, transport.getBoolean("eventBus", true),
      all(streams != null ? streams : transport.getString("streams", "none")), Moves.configured(),
      from != null ? "vertx-rdma uses the options in " + from
        : "vertx-rdma uses its default options: -D" + FILE + " and " + Setting.variable(FILE) + " name no file, and there is no " + RESOURCE
          + " on the class path");
  }

  private static boolean all(String streams) {
    if (!streams.equalsIgnoreCase("all") && !streams.equalsIgnoreCase("none")) {
      throw new IllegalArgumentException(STREAMS + " (" + Setting.variable(STREAMS) + ", or transport.streams in JSON) is '" + streams
        + "'. Use all or none");
    }
    return streams.equalsIgnoreCase("all");
  }
}
