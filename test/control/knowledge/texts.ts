/** What a hotel tells its agent, in three languages. */
export const HOTEL: Record<string, string> = {
  'Opening hours':
    'Reception is open day and night. The restaurant opens at seven in the morning and closes at ten. On Sunday the restaurant is closed.',
  Parking: 'Guests park behind the house. Parking costs 300 rupees a night. Electric cars charge free of cost.',
  Cancellation: 'Cancellation is free until two days before arrival. Later the first night is charged.',
  Pets: 'Dogs and cats are welcome in rooms of the ground floor. They pay nothing.',
  Pool: 'The swimming pool on the roof is heated and open from six until nine.',
  किराया: 'एक कमरे का किराया तीन हज़ार रुपये है। नाश्ता किराये में शामिल है।',
  Checkin: 'Checkin ka samay dopahar do baje hai. Checkout subah gyarah baje tak.',
};
