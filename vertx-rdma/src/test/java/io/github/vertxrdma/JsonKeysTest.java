package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.bus.RdmaBusClientOptions;
import io.github.vertxrdma.bus.RdmaBusServiceOptions;
import io.github.vertxrdma.directory.DirectoryOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class JsonKeysTest {
  private static final Map<String, Function<JsonObject, JsonObject>> CLASSES = Map.of(
    "RegionOpenOptions", json -> new RegionOpenOptions(json).toJson(),
    "PingOptions", json -> new PingOptions(json).toJson(),
    "RdmaOptions", json -> new RdmaOptions(json).toJson(),
    "RdmaConnectOptions", json -> new RdmaConnectOptions(json).toJson(),
    "RdmaServerOptions", json -> new RdmaServerOptions(json).toJson(),
    "RdmaOfferOptions", json -> new RdmaOfferOptions(json).toJson(),
    "RegionOptions", json -> new RegionOptions(json).toJson(),
    "DirectoryOptions", json -> new DirectoryOptions(json).toJson(),
    "RdmaBusClientOptions", json -> new RdmaBusClientOptions(json).toJson(),
    "RdmaBusServiceOptions", json -> new RdmaBusServiceOptions(json).toJson());

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
    "DirectoryOptions    | {'gruop': 'a'}                       | DirectoryOptions: no key 'gruop'; do you mean 'group'?",
    "RdmaOptions         | {'directory': {'gruop': 'a'}}        | DirectoryOptions: no key 'gruop'; do you mean 'group'?",
    "RdmaOptions         | {'gruop': 'a'}                       | RdmaOptions: no key 'gruop'; do you mean 'directory.group'?",
    "RdmaOptions         | {'Fabric': 'shm'}                    | RdmaOptions: no key 'Fabric'; do you mean 'fabric'?",
    "RdmaOptions         | {'connectTimeoutMillis': 5}          | RdmaOptions: no key 'connectTimeoutMillis'; do you mean"
      + " 'connectTimeout'?",
    "RdmaBusServiceOptions | {'rmda': {}}                         | RdmaBusServiceOptions: no key 'rmda'; do you mean 'rdma'?",
    "RdmaBusClientOptions | {'replyTimeuot': 1}             | RdmaBusClientOptions: no key 'replyTimeuot';"
      + " do you mean 'replyTimeout'?",
    "RegionOptions       | {'acess': ['READ']}                  | RegionOptions: no key 'acess'; do you mean 'access'?",
    "RdmaServerOptions   | {'x': 1}                             | RdmaServerOptions: no key 'x'; there are metadata",
    "RdmaOfferOptions    | {'peerTimeoutMillis': 1}             | RdmaOfferOptions: no key 'peerTimeoutMillis'; do you mean 'peerTimeout'?",
    "RdmaOptions         | {'authorizer': {}}                   | RdmaOptions: no key 'authorizer'; do you mean 'authorizerClass'?",
    "RdmaOptions         | {'transport': {}}                    | RdmaOptions: no key 'transport'; there are",
    "RdmaOptions         | {'connectTimeout': 'PT10S'}          | RdmaOptions: 'connectTimeout' is a number, not PT10S",
    "RdmaOptions         | {'bufferSize': '64k'}                | RdmaOptions: 'bufferSize' is a number, not 64k",
    "RdmaOptions         | {'directory': 'same-host'}           | RdmaOptions: 'directory' is an object, not same-host",
    "RdmaOptions         | {'statistics': 'false'}              | RdmaOptions: 'statistics' is true or false, not false",
    "DirectoryOptions    | {'peers': '10.0.0.1:4710'}           | DirectoryOptions: 'peers' is an array, not 10.0.0.1:4710",
    "RdmaConnectOptions  | {'privateData': 3}                   | RdmaConnectOptions: 'privateData' is text, not 3",
    "RdmaOptions         | {'zeroCopyBytes': 4294967296}        | RdmaOptions: 'zeroCopyBytes' is a whole number of 32 bits, not"
      + " 4294967296",
    "RdmaOptions         | {'maxMessageSize': 4294967296}       | RdmaOptions: 'maxMessageSize' is a whole number of 32 bits, not"
      + " 4294967296",
    "RdmaOptions         | {'bufferSize': 8192.5}               | RdmaOptions: 'bufferSize' is a whole number of 32 bits, not 8192.5",
    "RegionOptions       | {'size': 18446744073709555712}       | RegionOptions: 'size' is a whole number of 64 bits, not"
      + " 18446744073709555712",
    "RdmaOptions         | {'connectTimeout': 2.5}              | RdmaOptions: 'connectTimeout' is a whole number of milliseconds, not 2.5",
    "RdmaOptions         | {'connectTimeout': 18446744073709551716} | RdmaOptions: 'connectTimeout' is a whole number of milliseconds,"
      + " not 18446744073709551716",
    "RdmaOptions         | {'directory': {'peers': [{'host': '10.0.0.1', 'port': 4710}]}} | DirectoryOptions: an element of 'peers' is"
      + " text,"
      + " not {\"host\":\"10.0.0.1\",\"port\":4710}",
    "DirectoryOptions    | {'peers': ['10.0.0.1:4710', null]}   | DirectoryOptions: an element of 'peers' is text, not null",
    "DirectoryOptions    | {'entries': ['10.0.0.1:4710']}       | DirectoryOptions: an element of 'entries' is an object, not"
      + " 10.0.0.1:4710",
    "RegionOptions       | {'access': [1]}                      | RegionOptions: an element of 'access' is text, not 1"})
  void whatIsNotKnownIsRefusedByName(String options, String json, String refusal) {
    JsonObject read = new JsonObject(json.replace('\'', '"'));
    String told = assertThrows(IllegalArgumentException.class, () -> CLASSES.get(options).apply(read)).getMessage();
    assertEquals(refusal, refusal.endsWith("there are") ? told.substring(0, refusal.length()) : told);
  }

  @Test
  void whatOptionsWriteTheyRead() {
    RdmaOptions rdma = new RdmaOptions().setFabric("shm").setHost("::1").setSecretFile("s").setSettings(new JsonObject().put("a", 1))
      .setAuthorizer(RdmaAuthorizer.GROUP)
      .setDirectory(new DirectoryOptions().setGroup("g").setPeers(List.of("a:1")).setPath("/p").setNodeId("n"));
    List<JsonObject> all = List.of(rdma.toJson(), rdma.getDirectory().toJson(),
      new RdmaBusClientOptions().setAddress("a").setFabric("shm").setRdma(rdma).toJson(),
      new RdmaBusServiceOptions().setAddress("a").setMetadata(new JsonObject().put("zone", "a")).setRdma(rdma).toJson(),
      new RdmaConnectOptions().setFabric("shm").setPrivateData(Buffer.buffer("x")).toJson(),
      new RdmaOfferOptions().setFabric("shm").setPrivateData(Buffer.buffer("x")).toJson(),
      new RegionOpenOptions().setFabric("shm").setLookupTimeout(Duration.ofMillis(7)).toJson(),
      new PingOptions().setFabric("shm").setCount(3).setSize(0).setLookupTimeout(Duration.ofMillis(7)).toJson(),
      new RegionOptions().setName("r").setFile("f").setAccess(RegionAccess.READ, RegionAccess.ATOMIC).addFabric("shm").toJson(),
      new RdmaServerOptions().setMetadata(new JsonObject().put("zone", "a")).toJson());
    List<String> names = List.of("RdmaOptions", "DirectoryOptions", "RdmaBusClientOptions", "RdmaBusServiceOptions", "RdmaConnectOptions",
      "RdmaOfferOptions",
      "RegionOpenOptions", "PingOptions", "RegionOptions", "RdmaServerOptions");
    for (int i = 0; i < all.size(); i++) {
      assertEquals(all.get(i), CLASSES.get(names.get(i)).apply(all.get(i)), names.get(i));
    }
  }

  @Test
  void aWholeNumberIsTakenAsItIsWritten() {
    JsonObject read = new JsonObject("{\"connectTimeout\": 2e3, \"maxMessageSize\": 2147483647, \"bufferSize\": 8192.0}");
    JsonObject taken = new RdmaOptions(read).toJson();
    assertEquals(List.of(2000L, Integer.MAX_VALUE, 8192),
      List.of(taken.getLong("connectTimeout"), taken.getInteger("maxMessageSize"), taken.getInteger("bufferSize")));
  }

  @Test
  void creditsHaveTheBoundsOfTheProtocol() {
    for (String key : List.of("dataCredits", "controlCredits")) {
      assertEquals(65_535, new RdmaOptions(new JsonObject().put(key, 65_535)).toJson().getInteger(key));
      JsonObject above = new JsonObject().put(key, 65_536);
      String told = assertThrows(IllegalArgumentException.class, () -> new RdmaOptions(above)).getMessage();
      assertEquals(key + " of 65536: at least " + (key.equals("dataCredits") ? 1 : 8) + ", at most 65535", told);
    }
  }

  @Test
  void nothingThatIsSetToNullIsRefused() {
    assertEquals(new RdmaOptions().toJson(), new RdmaOptions(new JsonObject().putNull("fabric").putNull("bufferSize")).toJson());
  }
}
