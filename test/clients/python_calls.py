"""Ten calls of the Python client, against the API at ANTIPHON_URL. Prints what a test reads."""

import json
import os
import sys

sys.path.insert(0, sys.argv[1])
import antiphon  # noqa: E402

client = antiphon.Client(os.environ["ANTIPHON_URL"], os.environ["ANTIPHON_API_KEY"], timezone="UTC")
agent = client.create_agent({"name": "Receptionist"})
renamed = client.replace_agent(agent["id"], {"name": "Reception"})
listed = client.list_agents()
calls = [client.place_call(agent["id"], {"to_number": "+919811112222"}, idempotency_key="one") for _ in range(2)]
other = client.place_call(agent["id"], {"to_number": "+919811113333"})
walked = [call["id"] for call in client.each_of_list_calls(status=["queued", "failed"], limit=1)]
ended = client.hang_up_call(other["id"])
events = client.list_call_events(other["id"])
upload = client.upload_contacts({"file": b"phone,name\n+919811112222,Asha\n"})
csv = client.export_calls()
client.delete_agent(agent["id"])
try:
    client.get_agent(agent["id"])
except antiphon.ApiError as error:
    missing = [error.status, str(error), len(error.request_id)]
try:
    client.create_agent({"name": ""})
except antiphon.ApiError as error:
    invalid = [error.status, error.details[0]["loc"]]

print(
    json.dumps(
        {
            "renamed": renamed["name"],
            "version": renamed["version"],
            "created_at": agent["created_at"][-6:],
            "listed": [each["id"] for each in listed] == [agent["id"]],
            "once": calls[0]["id"] == calls[1]["id"],
            "walked": sorted(walked) == sorted([calls[0]["id"], other["id"]]),
            "ended": ended["status"],
            "events": [event["type"] for event in events],
            "rows": upload["valid_rows"],
            "csv": csv.decode().count("+919811113333"),
            "missing": missing,
            "invalid": invalid,
        }
    )
)
