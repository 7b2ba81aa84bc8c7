package io.github.vertxrdma.impl.transport;

import io.github.vertxrdma.JsonKeys;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.directory.DirectoryBackend;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.github.vertxrdma.impl.process.Setting;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * Configuration from the file in {@value #FILE} or from {@value #RESOURCE}, overridden by {@value #FABRIC} and {@value #STREAMS}. See
 * {@link Setting}.
 *
 * @param rdma a fabric in them is forced
 */
record TransportOptions(RdmaOptions rdma, boolean eventBus, boolean streams) {
  /** JSON file; environment variable {@code VERTX_RDMA_CONFIG}. */
  static final String FILE = "vertx.rdma.config";
  static final String RESOURCE = "vertx-rdma.json";
  /** Forced fabric or device, unless the options name one; environment variable {@code VERTX_RDMA_FABRIC}. */
  public static final String FABRIC = "vertx.rdma.fabric";
  /**
   * {@code all} for every TCP server and client, {@code none} for the clustered event bus alone; environment variable {@code
   * VERTX_RDMA_STREAMS}.
   */
  static final String STREAMS = "vertx.rdma.streams";
  private static final String TRANSPORT = "transport";

  /** Blocks. @throws IllegalArgumentException if the file is invalid */
  static TransportOptions load() {
    String file = Setting.of(FILE);
    String from = file == null ? RESOURCE + " on the class path" : file;
    try {
      return of(read(file));
    } catch (DecodeException e) {
      throw new IllegalArgumentException("The options of vertx-rdma in " + from + " are no JSON: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("The options of vertx-rdma in " + from + " are wrong: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException("The options of vertx-rdma in " + from + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static TransportOptions of(JsonObject json) {
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
      all(streams != null ? streams : transport.getString("streams", "none")));
  }

  private static boolean all(String streams) {
    if (!streams.equalsIgnoreCase("all") && !streams.equalsIgnoreCase("none")) {
      throw new IllegalArgumentException(STREAMS + " (" + Setting.variable(STREAMS) + ", or transport.streams in JSON) is '" + streams
        + "'; there are all and none");
    }
    return streams.equalsIgnoreCase("all");
  }

  private static JsonObject read(String file) throws IOException {
    if (file != null) {
      return new JsonObject(Files.readString(Path.of(file)));
    }
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    try (InputStream in = (loader == null ? TransportOptions.class.getClassLoader() : loader).getResourceAsStream(RESOURCE)) {
      return in == null ? new JsonObject() : new JsonObject(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  /** Maximum time until other nodes see a published entry. */
  long publicationMillis(DirectoryBackend directory) {
    return directory.type().equals(DirectoryOptions.SAME_HOST) ? rdma.getDirectory().getPollInterval().toMillis() * 2 : 0;
  }
}
