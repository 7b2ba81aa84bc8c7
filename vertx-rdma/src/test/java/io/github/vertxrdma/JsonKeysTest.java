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
    "RegionOptions", json -> new RegionOptions(json).toJson(),
    "DirectoryOptions", json -> new DirectoryOptions(json).toJson(),
    "RdmaBusClientOptions", json -> new RdmaBusClientOptions(json).toJson(),
    "RdmaBusServiceOptions", json -> new RdmaBusServiceOptions(json).toJson());

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
    "DirectoryOptions    | {'gruop': 'a'}                       | DirectoryOptions: unknown key 'gruop'; did you mean 'group'?",
    "RdmaOptions         | {'directory': {'gruop': 'a'}}        | DirectoryOptions: unknown key 'gruop'; did you mean 'group'?",
    "RdmaOptions         | {'gruop': 'a'}                       | RdmaOptions: unknown key 'gruop'; did you mean 'directory.group'?",
    "RdmaOptions         | {'Fabric': 'shm'}                    | RdmaOptions: unknown key 'Fabric'; did you mean 'fabric'?",
    "RdmaOptions         | {'connectTimeoutMillis': 5}          | RdmaOptions: unknown key 'connectTimeoutMillis'; did you mean"
      + " 'connectTimeout'?",
    "RdmaBusServiceOptions | {'rmda': {}}                         | RdmaBusServiceOptions: unknown key 'rmda'; did you mean 'rdma'?",
    "RdmaBusClientOptions | {'replyTimeuot': 1}             | RdmaBusClientOptions: unknown key 'replyTimeuot';"
      + " did you mean 'replyTimeout'?",
    "RegionOptions       | {'acess': ['READ']}                  | RegionOptions: unknown key 'acess'; did you mean 'access'?",
    "RdmaServerOptions   | {'x': 1}                             | RdmaServerOptions: unknown key 'x'; valid keys are metadata",
    "RdmaOptions         | {'authorizer': {}}                   | RdmaOptions: unknown key 'authorizer'; did you mean 'authorizerClass'?",
    "RdmaOptions         | {'transport': {}}                    | RdmaOptions: unknown key 'transport'; valid keys are",
    "RdmaOptions         | {'connectTimeout': 'PT10S'}          | RdmaOptions: 'connectTimeout' must be a number, but is PT10S",
    "RdmaOptions         | {'bufferSize': '64k'}                | RdmaOptions: 'bufferSize' must be a number, but is 64k",
    "RdmaOptions         | {'directory': 'same-host'}           | RdmaOptions: 'directory' must be an object, but is same-host",
    "RdmaOptions         | {'statistics': 'false'}              | RdmaOptions: 'statistics' must be true or false, but is false",
    "DirectoryOptions    | {'peers': '10.0.0.1:4710'}           | DirectoryOptions: 'peers' must be an array, but is 10.0.0.1:4710",
    "RdmaConnectOptions  | {'privateData': 3}                   | RdmaConnectOptions: 'privateData' must be text, but is 3",
    "RdmaOptions         | {'zeroCopyBytes': 4294967296}        | RdmaOptions: 'zeroCopyBytes' must be a whole number of 32 bits, but is"
      + " 4294967296",
    "RdmaOptions         | {'maxMessageSize': 4294967296}       | RdmaOptions: 'maxMessageSize' must be a whole number of 32 bits, but is"
      + " 4294967296",
    "RdmaOptions         | {'bufferSize': 8192.5}               | RdmaOptions: 'bufferSize' must be a whole number of 32 bits, but "
      + "is 8192.5",
    "RegionOptions       | {'size': 18446744073709555712}       | RegionOptions: 'size' must be a whole number of 64 bits, but is"
      + " 18446744073709555712",
    "RdmaOptions         | {'connectTimeout': 2.5}              | RdmaOptions: 'connectTimeout' must be a whole number of "
      + "milliseconds, but is 2.5",
    "RdmaOptions         | {'connectTimeout': 18446744073709551716} | RdmaOptions: 'connectTimeout' must be a whole number of "
      + "milliseconds, but is 18446744073709551716",
    "RdmaOptions         | {'directory': {'peers': [{'host': '10.0.0.1', 'port': 4710}]}} | DirectoryOptions: an element of 'peers' must"
      + " be text, but is {\"host\":\"10.0.0.1\",\"port\":4710}",
    "DirectoryOptions    | {'peers': ['10.0.0.1:4710', null]}   | DirectoryOptions: an element of 'peers' must be text, but is null",
    "DirectoryOptions    | {'entries': ['10.0.0.1:4710']}       | DirectoryOptions: an element of 'entries' must be an object, but is"
      + " 10.0.0.1:4710",
    "RegionOptions       | {'access': [1]}                      | RegionOptions: an element of 'access' must be text, but is 1"})
  void whatIsNotKnownIsRefusedByName(String options, String json, String refusal) {
    JsonObject read = new JsonObject(json.replace('\'', '"'));
    String told = assertThrows(IllegalArgumentException.class, () -> CLASSES.get(options).apply(read)).getMessage();
    assertEquals(refusal, refusal.endsWith("valid keys are") ? told.substring(0, refusal.length()) : told);
  }

  @Test
  void optionsReadTheirOwnJson() {
    RdmaOptions rdma = new RdmaOptions().setFabric("shm").setHost("::1").setSecretFile("s").setSettings(new JsonObject().put("a", 1))
      .setAuthorizer(RdmaAuthorizer.GROUP)
      .setDirectory(new DirectoryOptions().setGroup("g").setPeers(List.of("a:1")).setPath("/p").setNodeId("n"));
    List<JsonObject> all = List.of(rdma.toJson(), rdma.getDirectory().toJson(),
      new RdmaBusClientOptions().setAddress("a").setFabric("shm").setRdma(rdma).toJson(),
      new RdmaBusServiceOptions().setAddress("a").setMetadata(new JsonObject().put("zone", "a")).setRdma(rdma).toJson(),
      new RdmaConnectOptions().setFabric("shm").setPrivateData(Buffer.buffer("x")).toJson(),
      new RegionOpenOptions().setFabric("shm").setLookupTimeout(Duration.ofMillis(7)).toJson(),
      new PingOptions().setFabric("shm").setCount(3).setSize(0).setLookupTimeout(Duration.ofMillis(7)).toJson(),
      new RegionOptions().setName("r").setFile("f").setAccess(RegionAccess.READ, RegionAccess.ATOMIC).addFabric("shm").toJson(),
      new RdmaServerOptions().setMetadata(new JsonObject().put("zone", "a")).toJson());
    List<String> names = List.of("RdmaOptions", "DirectoryOptions", "RdmaBusClientOptions", "RdmaBusServiceOptions", "RdmaConnectOptions",
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
      assertEquals(key + " of 65536 is out of range: use at least " + (key.equals("dataCredits") ? 1 : 8) + " and at most 65535", told);
    }
  }

  @Test
  void nothingThatIsSetToNullIsRefused() {
    assertEquals(new RdmaOptions().toJson(), new RdmaOptions(new JsonObject().putNull("fabric").putNull("bufferSize")).toJson());
  }
}
