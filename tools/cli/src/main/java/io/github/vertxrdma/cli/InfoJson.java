package io.github.vertxrdma.cli;

import io.github.vertxrdma.FabricChoice;
import io.github.vertxrdma.MessagePaths;
import io.github.vertxrdma.RdmaOptions;
import io.github.vertxrdma.provider.Capabilities;
import io.github.vertxrdma.provider.Device;
import io.github.vertxrdma.provider.Discovery;
import io.github.vertxrdma.provider.Limits;
import io.github.vertxrdma.provider.Selection;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A survey as JSON; names are those of the SPI. */
final class InfoJson {
  private InfoJson() {
  }

  static JsonObject of(Survey survey, Map<String, Selection> selections) {
    return new JsonObject()
      .put("providers", array(survey.providers(), InfoJson::provider))
      .put("selections", array(selections.entrySet(), entry -> selection(entry.getKey(), entry.getValue())));
  }

  private static JsonObject provider(Survey.Found found) {
    return new JsonObject()
      .put("name", found.name())
      .put("fallback", found.fallback())
      .put("devices", array(found.devices(), InfoJson::device))
      .put("unavailable", array(found.unavailable(), InfoJson::unavailable));
  }

  private static JsonObject unavailable(Discovery.Unavailable missing) {
    return new JsonObject().put("what", missing.what()).put("reason", missing.reason()).put("remedy", missing.remedy());
  }

  private static JsonObject device(Survey.Tested tested) {
    JsonObject json = new JsonObject()
      .put("name", tested.name())
      .put("fabric", tested.fabric())
      .put("device", tested.device().toString())
      .put("endpointType", tested.endpointType().name())
      .put("reach", tested.reach().name())
      .put("preference", tested.preference().name())
      .put("opens", tested.opens())
      .put("advertised", capabilities(tested.device().capabilities()))
      .put("capabilities", capabilities(tested.capabilities()))
      .put("limits", limits(tested.limits()))
      .put("messagePaths", messagePaths(MessagePaths.of(tested.capabilities(), tested.limits(), new RdmaOptions())));
    if (!tested.opens()) {
      json.put("failure", tested.failure());
    }
    JsonObject strategies = new JsonObject();
    FabricChoice.strategies(tested, tested.capabilities()).forEach(strategy -> {
      String[] parts = strategy.split(": ", 2);
      strategies.put(parts[0], parts[1]);
    });
    return json.put("strategies", strategies);
  }

  private static JsonObject capabilities(Capabilities c) {
    return new JsonObject()
      .put("operations", array(c.operations().stream().sorted().toList(), Enum::name))
      .put("orders", array(c.orders().stream().sorted().toList(), Enum::name))
      .put("immediateBits", c.immediateBits())
      .put("immediateConsumesReceive", c.immediateConsumesReceive())
      .put("deliveryComplete", c.deliveryComplete())
      .put("noReceive", c.noReceive().name())
      .put("keyMode", c.keyMode().name())
      .put("addressBase", c.addressBase().name())
      .put("progress", c.progress().name())
      .put("peerFailureEvents", c.peerFailureEvents())
      .put("waiting", c.waiting().name())
      .put("sharedReceive", c.sharedReceive())
      .put("sharedReceiveOnly", c.sharedReceiveOnly())
      .put("messagePrefix", c.messagePrefix())
      .put("reservedReceives", c.reservedReceives())
      .put("counters", c.counters())
      .put("pinned", c.pinned())
      .put("connectorSendsFirst", c.connectorSendsFirst())
      .put("connecting", array(c.connecting().stream().sorted().toList(), Enum::name));
  }

  private static JsonObject limits(Limits l) {
    return new JsonObject()
      .put("maxMessageSize", l.maxMessageSize())
      .put("maxTransferSize", l.maxTransferSize())
      .put("inlineSize", l.inlineSize())
      .put("sendDepth", l.sendDepth())
      .put("receiveDepth", l.receiveDepth())
      .put("scatterGather", l.scatterGather())
      .put("readsInFlight", l.readsInFlight())
      .put("privateData", l.privateData())
      .put("maxRegionSize", l.maxRegionSize())
      .put("maxRegions", l.maxRegions())
      .put("completionQueueDepth", l.completionQueueDepth())
      .put("keySize", l.keySize());
  }

  private static JsonObject messagePaths(MessagePaths paths) {
    return new JsonObject()
      .put("inline", paths.inline())
      .put("eager", paths.eager())
      .put("largest", paths.largest())
      .put("fragment", paths.fragment());
  }

  private static JsonObject selection(String use, Selection selection) {
    return new JsonObject()
      .put("for", use)
      .put("ranked", array(selection.ranked(), Device::name))
      .put("refused", array(selection.refused(), refusal -> new JsonObject()
        .put("device", refusal.device().name()).put("missed", new JsonArray(List.copyOf(refusal.missed())))));
  }

  private static <T> JsonArray array(Collection<T> values, Function<T, Object> json) {
    JsonArray array = new JsonArray();
    values.forEach(value -> array.add(json.apply(value)));
    return array;
  }
}
